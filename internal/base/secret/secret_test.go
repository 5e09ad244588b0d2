package secret_test

import (
	"testing"

	"agent/internal/base/secret"
)

func TestName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"OPENAI_API_KEY": true, "api-key": true, "apiKey": true, "X-Auth": true, "Authorization": true, "sig": true, "access_token": true, "db_pass": true, "SESSION_COOKIE": true,
		"PWD": false, "OLDPWD": false, "api-version": false, "COMPASS": false, "XAUTHORITY": false, "GIT_AUTHOR_NAME": false, "assign": false, "": false,
	} {
		if got := secret.IsSecretName(name); got != want {
			t.Errorf("Name(%q) = %v", name, got)
		}
	}
}

func TestValues(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text         string
		in, is       bool
		hide, echoed string
	}{
		{"sk-proj-0123456789abcdefghij", true, true, "[key]", "[key]"},
		{"ghp_0123456789abcdefABCDEF0123", true, true, "[key]", "[key]"},
		{"use glpat-0123456789abcdefghij now", true, false, "use [key] now", "use [key] now"},
		{`{"t":"npm_0123456789abcdefghij"}`, true, false, `{"t":"[key]"}`, `{"t":"[key]"}`},
		{"my_sk-0123456789abcdefghij", true, false, "my_[key]", "my_[key]"},
		{"wrong key: sk-abcd****wxyz", false, false, "wrong key: sk-abcd****wxyz", "wrong key: [key]"},
		{"task-force-0123456789abcdef", false, false, "task-force-0123456789abcdef", "task-force-0123456789abcdef"},
		{"sk-0123456789abcdef", true, true, "[key]", "[key]"},
		{"sk-0123456789abcde", false, false, "sk-0123456789abcde", "[key]"},
		{"sk-abcd****", false, false, "sk-abcd****", "[key]"},
		{"sk-abc****", false, false, "sk-abc****", "sk-abc****"},
		{"Bearer eyJhbGciOiJ.eyJz", true, false, "Bearer eyJhbGciOiJ.eyJz", "Bearer eyJhbGciOiJ.eyJz"},
		{"heyJhbGciOiJ.eyJz", false, false, "heyJhbGciOiJ.eyJz", "heyJhbGciOiJ.eyJz"},
		{"https://u:p@host", true, false, "https://u:p@host", "https://u:p@host"},
		{"https://host:8080/a@b", false, false, "https://host:8080/a@b", "https://host:8080/a@b"},
		{"-----BEGIN OPENSSH PRIVATE KEY-----", true, false, "-----BEGIN OPENSSH PRIVATE KEY-----", "-----BEGIN OPENSSH PRIVATE KEY-----"},
	} {
		if secret.Contains(c.text) != c.in || secret.Is(c.text) != c.is {
			t.Errorf("%q: In %v, Is %v", c.text, secret.Contains(c.text), secret.Is(c.text))
		}
		if got := secret.RedactKeys(c.text); got != c.hide {
			t.Errorf("Hide(%q) = %q", c.text, got)
		}
		if got := secret.RedactEchoedKeys(c.text); got != c.echoed {
			t.Errorf("HideEchoed(%q) = %q", c.text, got)
		}
	}
}

func TestOfHeader(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]string{
		{"Authorization", "Bearer abc", "abc"},
		{"authorization", "Basic dTpw", "dTpw"},
		{"Proxy-Authorization", "abc def", "abc def"},
		{"X-Api-Key", "abc", "abc"},
		{"cf-aig-authorization", "Bearer abc", "abc"},
		{"X-Auth-Token", "abc", "abc"},
		{"Cookie", "a=b", "a=b"},
		{"X-Gate", "sk-abcdefghijklmnop0123", "sk-abcdefghijklmnop0123"},
		{"X-Title", "my-project", ""},
		{"HTTP-Referer", "https://example.com", ""},
		{"Content-Type", "application/json", ""},
	} {
		if got := secret.FromHeader(c[0], c[1]); got != c[2] {
			t.Errorf("%s: %q, want %q", c[0], got, c[2])
		}
	}
}

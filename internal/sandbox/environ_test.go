package sandbox_test

import (
	"slices"
	"strings"
	"testing"

	"agent/internal/sandbox"
)

func TestEnvironWithholdsSecrets(t *testing.T) {
	t.Parallel()
	environ := []string{
		"PATH=/bin", "HOME=/h", "GITHUB_TOKEN=x", "AWS_SECRET_ACCESS_KEY=x", "ANTHROPIC_API_KEY=x", "DATABASE_PASSWORD=x", "my_token=x",
		"GOOGLE_APPLICATION_CREDENTIALS=x", "SSH_AUTH_SOCK=x", "DBUS_SESSION_BUS_ADDRESS=x", "GOFLAGS=-v", "NPM_TOKEN=x", "LANG=C",
	}
	got := sandbox.Environ(environ, []string{"NPM_TOKEN"})
	if want := []string{"PATH=/bin", "HOME=/h", "GOFLAGS=-v", "NPM_TOKEN=x", "LANG=C"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Variables are withheld if their name or value looks like a secret, and similar ones are passed on
// (B4).
func TestEnvironKnowsSecretsByNameAndValue(t *testing.T) {
	t.Parallel()
	for _, variable := range []string{
		"DATABASE_URL=x", "MYSQL_PWD=x", "PGPASSFILE=x", "PGPASSWORD=x", "PGPASS=x", "DB_PASS=x", "GITHUB_PAT=x", "NPM_AUTH=x", "JWT=x", "BEARER=x", "SESSION_COOKIE=x", "SENTRY_DSN=x", "AZURE_STORAGE_CONNECTION_STRING=x", "my_api_key=x",
		"HTTPS_PROXY=http://u:p@proxy:3128", "MONGO=mongodb+srv://u:p%40@host/db", "REDIS=redis://:p@host", "A=ghp_0123456789abcdefABCDEF0123456789abcd", "A=github_pat_11ABCDEFG0123456789_abc", "A=glpat-0123456789abcdefghij",
		"A=AKIAIOSFODNN7EXAMPLE", "A=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.x", "A=Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.x", "A=sk-proj-0123456789abcdefghij", "A=xoxb-0123456789-abcdefghij", "A=-----BEGIN OPENSSH PRIVATE KEY-----", "A=hf_0123456789abcdefghij", "A={\"t\":\"ghs_0123456789abcdefABCDEF\"}",
	} {
		if kept := sandbox.Environ([]string{variable}, nil); len(kept) > 0 {
			t.Errorf("%s is shown", variable)
		}
		name, _, _ := strings.Cut(variable, "=")
		if kept := sandbox.Environ([]string{variable}, []string{name}); len(kept) != 1 {
			t.Errorf("%s is withheld, though allowed", variable)
		}
	}
	for _, variable := range []string{
		"PWD=/w", "PATH=/bin:/usr/bin", "GIT_AUTHOR_NAME=x", "XAUTHORITY=/x", "COMPASS=x", "HTTPS_PROXY=http://proxy:3128", "NO_PROXY=a:1,b", "GOPROXY=https://proxy.golang.org,direct", "URL=https://user@host/x", "A=eyJ", "A=task-force-0123456789abcdef",
		"PS1=\\u@\\h:\\w$ ", "LS_COLORS=rs=0:di=01;34", "A=https://host:8080/a@b", "OLDPWD=/x",
	} {
		if kept := sandbox.Environ([]string{variable}, nil); len(kept) != 1 {
			t.Errorf("%s is withheld", variable)
		}
	}
}

package secret_test

import (
	"slices"
	"testing"

	"agent/internal/base/secret"
)

func TestOfEnvironment(t *testing.T) {
	t.Parallel()
	for pair, want := range map[string]string{
		"GITHUB_TOKEN=abcdefgh12345678":                       "abcdefgh12345678",
		"AWS_SECRET_ACCESS_KEY=wJalrXUtn/K7MDENG/bPxRfiCYEXA": "wJalrXUtn/K7MDENG/bPxRfiCYEXA",
		"PLAIN=ghp_0123456789abcdefABCD":                      "ghp_0123456789abcdefABCD",
		"DATABASE_URL=postgres://app:abcdefgh12345678@db/app": "abcdefgh12345678",
		// Values that also occur in ordinary text stay.
		"DATABASE_URL=postgres://app:app@localhost:5432/app": "",
		"DATABASE_URL=postgres://db.example.com:5432/app123": "",
		"DB_PASSWORD=development-only":                       "",
		"API_KEY=short1":                                     "",
		"API_KEY=1234567890123456":                           "",
		"SSH_AUTH_SOCK=/run/user/1000/keyring/ssh":           "",
		"PATH=/usr/local/bin:/usr/bin:/opt/x86_64":           "",
		"MALFORMED_KEY":                                      "",
	} {
		var wanted []string
		if want != "" {
			wanted = []string{want}
		}
		if got := secret.FromEnvironment([]string{pair}); !slices.Equal(got, wanted) {
			t.Errorf("%s: %q, want %q", pair, got, want)
		}
	}
}

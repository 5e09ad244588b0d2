package sandbox_test

import (
	"slices"
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

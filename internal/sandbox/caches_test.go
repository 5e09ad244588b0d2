package sandbox_test

import (
	"maps"
	"os"
	"path/filepath"
	"testing"

	"agent/internal/sandbox"
)

// The cache folders follow the environment variables, "go env -w" and the defaults of the tools.
func TestUserCaches(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	settings := filepath.Join(home, ".config/go/env")
	if err := os.MkdirAll(filepath.Dir(settings), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(settings, []byte("GOCACHE=/from/settings\nGOPATH=/path\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		environ, want map[string]string
	}{
		"nothing set": {nil, map[string]string{
			"go-build": "/from/settings", "go-path-modules": "/path/pkg/mod", "go-modules": "", "npm": home + "/.npm", "pip": home + "/.cache/pip",
			"cargo-registry": home + "/.cargo/registry", "maven": home + "/.m2/repository", "pnpm-store": home + "/.local/share/pnpm/store",
		}},
		"by variables": {map[string]string{"GOCACHE": "/go", "GOMODCACHE": "/mod", "XDG_CACHE_HOME": "/xdg", "CARGO_HOME": "/cargo", "CCACHE_DIR": "relative"}, map[string]string{
			"go-build": "/go", "go-modules": "/mod", "pip": "/xdg/pip", "cargo-registry": "/cargo/registry", "cargo-git": "/cargo/git", "ccache": "",
		}},
		"no settings": {map[string]string{"GOENV": "off"}, map[string]string{"go-build": home + "/.cache/go-build", "go-path-modules": home + "/go/pkg/mod"}},
	} {
		got := map[string]string{}
		for _, cache := range sandbox.UserCaches(home, func(name string) string { return c.environ[name] }) {
			got[cache.Name] = cache.Path
		}
		maps.DeleteFunc(got, func(name, _ string) bool { _, asked := c.want[name]; return !asked })
		maps.DeleteFunc(c.want, func(_, path string) bool { return path == "" })
		if !maps.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

package app

import (
	"os"
	"path/filepath"
	"testing"
)

// On Windows, files are in the standard folders of Windows programs. The exceptions are existing
// files in ~/.config/agent and the XDG variables.
func TestFoldersOfWindows(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	at := func(path string) string { return filepath.Join(home, filepath.FromSlash(path)) }
	usual := []string{"APPDATA=" + at("Roaming"), "LOCALAPPDATA=" + at("Local")}
	check := func(system string, environ []string, want Folders) {
		t.Helper()
		p := Process{Home: home, Environ: environ}
		if got, err := p.foldersOn(system); err != nil || got != want {
			t.Errorf("%s, %q: %+v, %v", system, environ, got, err)
		}
	}
	xdg := Folders{at(".config/agent"), at(".local/share/agent"), at(".local/state/agent"), at(".cache/agent")}
	check("windows", usual, Folders{at("Roaming/agent"), at("Local/agent/data"), at("Local/agent/state"), at("Local/agent/cache")})
	check("windows", append(usual, "XDG_CONFIG_HOME="+at("mine")), Folders{at("mine/agent"), at("Local/agent/data"), at("Local/agent/state"), at("Local/agent/cache")})
	check("windows", nil, xdg)
	check("linux", usual, xdg)
	if err := os.MkdirAll(at(".config/agent"), 0o700); err != nil {
		t.Fatal(err)
	}
	check("windows", usual, xdg)
}

// An unknown ID suggests the intended one, and none if several could be meant.
func TestNearestID(t *testing.T) {
	t.Parallel()
	ids := []string{"20261122-024247-mfrfg", "20261122-024247-zmbxy", "20261030-111500-aaaaa"}
	for id, want := range map[string]string{
		"20261122-024247-mfrgf": ids[0],
		"20261122-024247-zmbx1": ids[1],
		"20261122024247-zmbxy":  ids[1],
		"mfrfg":                 ids[0],
		"20261030-1125":         ids[2],
		"20261112-0242":         ids[0],
		"no-such":               "",
		"x":                     "",
		"31":                    "",
	} {
		if got := nearestID(id, ids); got != want {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
	}
	if got := nearestID("20261122-024247-mfrgf", nil); got != "" {
		t.Errorf("of none: %q", got)
	}
}

package consent_test

import (
	"fmt"
	"slices"
	"testing"

	"agent/internal/extend/setup/consent"
	"agent/internal/extend/setup/manifest"
	"agent/internal/extend/setup/servers"
	"agent/internal/extend/setup/trustedfile"
)

// The value of a variable that a server sets is part of the content, even for a variable that the
// shell also sets.
func TestVariablesOfAnItem(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"X", "HOME", "PWD", "OLDPWD", "CLAUDE_PROJECT_DIR"} {
		for _, line := range []string{"sh $%s/run.sh", "cd \"$%s\" && ./run.sh", "sh ${%s%%/}/r*.sh"} {
			w := newWorld(t)
			w.write("project/sub/run.sh", "1")
			i := w.server("", "sh", "-c", fmt.Sprintf(line, name))
			i.Effects = append(i.Effects, manifest.Part{Name: "env", Key: name, Text: "./sub", Role: manifest.RoleValue})
			if r := w.review(w.open("project"), i)[0]; !slices.Equal(r.Files, []string{"sub/run.sh"}) || r.Undetermined {
				t.Errorf("%s with %s: files %q, undetermined %t", i.Effects.Describe(), name, r.Files, r.Undetermined)
			}
		}
	}
}

// A variable of the user's environment is not part of the item, even if it has the same name. A
// file name with it is in doubt.
func TestVariablesOfTheUser(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write("project/xC.sh", "1")
	for entry, want := range map[string]bool{
		`{"command": "sh", "args": ["-c", "./x${LANG}.sh"], "env": {"LANG": "C"}}`:      true,
		`{"command": "sh", "args": ["-c", "./x${LANG:-C}.sh"]}`:                         true,
		`{"command": "./x${V}.sh"}`:                                                     true,
		`{"command": "./x${V:-C}.sh"}`:                                                  false,
		`{"command": "./xC.sh", "args": ["--token", "${TOKEN}"], "env": {"A": "${A}"}}`: false,
		`{"command": "./xC.sh", "args": ["https://${HOST}/x"]}`:                         false,
		`{"command": "python3", "args": ["-m", "tool"]}`:                                true,
		`{"command": "node", "args": ["./tool"]}`:                                       true,
		`{"command": "node", "args": ["tool.js"]}`:                                      false,
		`{"command": "npx", "args": ["-y", "tool"]}`:                                    false,
		`{"command": "./xC.sh", "env": {"PYTHONPATH": "lib"}}`:                          true,
	} {
		w.write("project/.mcp.json", `{"mcpServers": {"db": `+entry+`}}`)
		found, err := servers.Find(servers.Locations{Locations: trustedfile.Locations{Home: w.home, Workspace: w.root}})
		if err != nil || len(found.Servers) != 1 {
			t.Fatal(found, err)
		}
		i := consent.Item{Kind: consent.KindServer, Name: "db", Effects: found.Servers[0].Effects(), File: found.Servers[0].File}
		if r := w.review(w.open("project"), i)[0]; r.Undetermined != want {
			t.Errorf("%s: undetermined %t, files %q", entry, r.Undetermined, r.Files)
		}
	}
}

// A word with a folder also counts in a command line that a server passes to a shell.
func TestPathOfALine(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write("project/bin/tool", "1")
	for _, line := range []string{"cd ..; sh */bin/tool", "PATH=bin:$PATH tool", "export PATH=$(pwd)/bin:$PATH; tool", "PATH=~+/bin:$PATH; tool"} {
		if r := w.review(w.open("project"), w.server("", "bash", "-c", line))[0]; !slices.Equal(r.Files, []string{"bin/tool"}) {
			t.Errorf("%s: %q", line, r.Files)
		}
	}
}

package tools

import (
	"cmp"
	"encoding/json"
	"strings"
	"testing"
)

// D-92: a command that only applies a patch is run as a call of apply_patch, in the folder of the
// command. Any other use of apply_patch in a command runs nothing.
func TestAPatchAsACommandIsAPatch(t *testing.T) {
	t.Parallel()
	registry := NewRegistry(Default()...)
	const text = "*** Begin Patch\n*** Update File: a.go\n@@\n-func A() {}\n+func A() { B() }\n*** End Patch"
	const command = "apply_patch <<'EOF'\n" + text + "\nEOF"
	for name, tt := range map[string]struct {
		args params
		path string
	}{
		"a line":             {params{"command": command}, "a.go"},
		"with remarks":       {params{"command": command, "timeout_seconds": 5, "outside": "to write", "background": true}, "a.go"},
		"words":              {params{"command": []string{"bash", "-lc", command}}, "a.go"},
		"an argument":        {params{"command": []string{"apply_patch", text}}, "a.go"},
		"a folder":           {params{"command": "cd sub && " + command}, "sub/a.go"},
		"the call's folder":  {params{"command": command, "directory": "sub"}, "sub/a.go"},
		"a folder in that":   {params{"command": "cd deep && " + command, "directory": "sub"}, "sub/deep/a.go"},
		"the folder outside": {params{"command": "cd .. && " + command, "directory": "sub"}, "a.go"},
	} {
		raw, err := json.Marshal(tt.args)
		if err != nil {
			t.Fatal(err)
		}
		meant := registry.Translate(ShellToolName, string(raw))
		called, arguments := meant.Name, meant.Arguments
		if called != "apply_patch" {
			t.Errorf("%s: a call of %s", name, called)
			continue
		}
		env := fileEnv(t, map[string]string{tt.path: "package a\n\nfunc A() {}\n"})
		plan, err := applyPatch().Plan(t.Context(), env, arguments)
		if err != nil || len(plan.Preview.Paths) != 1 || plan.Preview.Paths[0] != tt.path || plan.Preview.Command != "" {
			t.Errorf("%s: %+v, %v", name, plan.Preview, err)
			continue
		}
		if answer := plan.Apply(t.Context()); answer.Error != "" || !strings.Contains(answer.Diff, "+func A() { B() }") {
			t.Errorf("%s: %+v", name, answer)
		}
	}
	for _, arguments := range []string{`{"command":"ls"}`, `{"command":"rm x && apply_patch <<EOF\n+x\nEOF"}`, `{"command":"apply_patch <<EOF\n+x\nEOF","directory":7}`, `{"command":`, `[]`, `{}`} {
		if same := registry.Translate(ShellToolName, arguments); same.Name != ShellToolName || cmp.Or(same.Arguments.InvalidText(), same.Arguments.String()) != arguments {
			t.Errorf("%s became %s %s", arguments, same.Name, same.Arguments)
		}
	}
	withPatch, err := json.Marshal(params{"content": command, "file_path": "x", "command": command})
	if err != nil {
		t.Fatal(err)
	}
	if meant := registry.Translate("write_file", string(withPatch)); meant.Name != "write_file" {
		t.Errorf("write_file became %s", meant.Name)
	}
	env := shellEnv(t)
	plan, err := planCall(t.Context(), t, runShellCommand(), env, params{"command": "touch made; apply_patch p"})
	if err != nil {
		t.Fatal(err)
	}
	answer := plan.Apply(t.Context())
	if !plan.Preview.ReadOnly || answer.ExitCode == nil || *answer.ExitCode != 127 || !strings.Contains(answer.Error, "apply_patch is a tool here, not a program") || len(filesOf(t, env)) > 0 {
		t.Errorf("%+v, %+v", plan.Preview, answer)
	}
}

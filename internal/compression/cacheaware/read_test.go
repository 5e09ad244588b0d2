package cacheaware

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/cmdline"
	"agent/internal/history"
	"agent/internal/toolspec"
)

// Two command lines have the same key if they differ only in their frame, such as cd, redirections
// and tail.
func TestCommandKey(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"go test ./...":                         "go test ./...",
		"cd /w && go test ./... 2>&1 | tail -5": "go test ./...",
		"cd a; cd b && go   test ./...":         "go test ./...",
		"git log | head -n 3":                   "git log",
		"git log | grep head":                   "git log | grep head",
		"ls 2>/dev/null":                        "ls",
	} {
		if got := cmdline.Read(line).Core().Text; got != want {
			t.Errorf("%q has the key %q, want %q", line, got, want)
		}
	}
}

func TestChecks(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"cd /w && go vet ./...": true, "npm run build": true, "python3 -m pytest -q": true, "make": true,
		"git status": false, "gh pr view 3": false, "ls -l": false, "echo make": true, "remake": false,
	} {
		if got := checks.MatchString(cmdline.Read(line).Core().Text); got != want {
			t.Errorf("%q is a check: %t, want %t", line, got, want)
		}
	}
}

// A command is a view only if it does nothing but show lines of one file.
func TestShellView(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"cat a.go":                           fmt.Sprint("a.go 1 ", lastLine),
		"cd /w && cat 'a.go' 2>/dev/null":    fmt.Sprint("a.go 1 ", lastLine),
		"cat -n a.go | sed -n '10,20p'":      "a.go 10 20",
		"sed -n 3,7p a.go":                   "a.go 3 7",
		"head -20 a.go":                      "a.go 1 20",
		"head -n 20 'my file.go'":            "my file.go 1 20",
		`cd "my dir" && cat a.go`:            fmt.Sprint("a.go 1 ", lastLine),
		"nl -ba a.go | head -n 5":            "a.go 1 5",
		"cat a.go b.go":                      "",
		"cat a.go | grep x":                  "",
		"cat a.go > b.go":                    "",
		"cat *.go":                           "",
		"cat $FILE":                          "",
		"cat -A":                             "",
		"cat a.go; rm a.go":                  "",
		"sed -i s/a/b/ a.go":                 "",
		"cat <<EOF":                          "",
		"tail -5 a.go":                       "",
		"sed -n 3,7p a.go && go test ./...":  "",
		"cat a.go && sed -n 3,7p a.go":       "",
		"sed -n '99999999999999999999,7p' x": "",
	} {
		got := ""
		if file, lo, hi, ok := shellView(cmdline.Read(line).Core()); ok {
			got = fmt.Sprint(file, " ", lo, " ", hi)
		}
		if got != want {
			t.Errorf("%q is %q, want %q", line, got, want)
		}
	}
}

func TestNameWords(t *testing.T) {
	t.Parallel()
	got := slices.Collect(NameWords("the parseHeader of HTTPSERVER, max_tokens (v2beta3) é Internal fooBarBaz short1 aB"))
	if diff := cmp.Diff([]string{"parseHeader", "max_tokens", "v2beta3", "fooBarBaz", "short1"}, got); diff != "" {
		t.Error(diff)
	}
}

// The paths of a patch include the new names of moved files (D-96).
func TestPatch(t *testing.T) {
	t.Parallel()
	f := &fact{}
	f.patch("*** Begin Patch\n*** Update File: a.go\n@@ func a\n keep\n-old\n+new\n+more\n@@\n-x\n*** Add File: b.go\n+package b\n*** Update File: /x/c.go\n*** Move to: d.go\n-1\n+2\n*** End Patch\n", "/w")
	want := []edit{{path: "/w/a.go", before: "keep\nold", after: "keep\nnew\nmore"}, {path: "/w/a.go", before: "x"}, {path: "/x/c.go", before: "1", after: "2"}}
	if diff := cmp.Diff(want, f.edits, cmp.AllowUnexported(edit{})); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"/w/a.go", "/w/b.go", "/x/c.go", "/w/d.go"}, f.paths); diff != "" {
		t.Error(diff)
	}
}

// A command is a patch only if it does nothing but apply one.
func TestShellPatch(t *testing.T) {
	t.Parallel()
	const patch = "*** Begin Patch\n*** Update File: a.go\n@@\n-old\n+new\n*** End Patch"
	for line, want := range map[string]bool{
		"apply_patch <<'EOF'\n" + patch + "\nEOF":                  true,
		"cd /w && applypatch << \"PATCH\"\n" + patch + "\nPATCH\n": true,
		"apply_patch <<EOF\n" + patch:                              true,
		"apply_patch '" + patch + "'":                              true,
		patch:                                                      true,
		"apply_patch <<'EOF'\n" + patch + "\nEOF\ngo test ./...":   false,
		"cat > a.patch <<'EOF'\n" + patch + "\nEOF":                false,
		"echo apply_patch; rm -r x\n" + patch:                      false,
		"rg -n '\\*\\*\\* Begin Patch' src":                        false,
		"apply_patch < a.patch":                                    false,
	} {
		if got := shellPatch(line); got != want {
			t.Errorf("%q is a patch: %t, want %t", line, got, want)
		}
	}
}

// A patch inside a command is an edit, both as a text and as the last item of a list. Without an
// exit code, its answer shows whether it was applied.
func TestPatchInCommand(t *testing.T) {
	t.Parallel()
	patch := "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: a.go\n@@\n-old\n+new\n*** End Patch\nEOF"
	talk := &talk{}
	talk.call("shell", map[string]any{"command": patch}, "Success. Updated the following files:\nM a.go\n", false)
	talk.call("shell", map[string]any{"command": []string{"bash", "-lc", patch}}, "error: Failed to find expected lines", false)
	e := newEngine()
	for _, entry := range talk.entries {
		e.Add(entry)
	}
	want := []Quote{{Reply: 0, Path: "/w/a.go", Text: "old", Applied: true}, {Reply: 1, Path: "/w/a.go", Text: "old"}}
	if diff := cmp.Diff(want, e.Quotes()); diff != "" {
		t.Error(diff)
	}
	for _, u := range e.conversation.units {
		if u.text != "" && u.part != newText && u.part != result {
			t.Errorf("the patch is a unit %q", u.kind())
		}
	}
}

func TestWithoutNumbers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"  1|a\n  2|\n 10|b": "a\n\nb", "1→x\n2→y": "x\ny", "1\tx\n": "x\n", "12 apples\n3 pears": "12 apples\n3 pears", "a|b\nc\n1|d": "a|b\nc\n1|d",
	} {
		if got := TrimLineNumbers(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

// The declaration of a tool and its answer determine which lines a call shows.
func TestLinesOfAView(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		id, tool, parameters, answer string
		lo, hi                       int
	}{
		{"whole", "read", `{"path":"a"}`, "x\ny", 1, lastLine},
		{"cut on arrival", "read", `{"path":"a"}`, "[a: lines 1–2 of 9; read on with offset 3]\nx\ny", 1, 2},
		{"from a line", "read", `{"path":"a","offset":5}`, "x", 5, lastLine},
		{"some lines", "read", `{"path":"a","offset":5,"limit":3}`, "x", 5, 7},
		{"a range", "lines", `{"path":"a","from":2,"to":4}`, "x", 2, 4},
		{"a symbol", "symbol", `{"path":"a"}`, "x", 1, lastLine - 1},
	} {
		call := &history.ToolCall{ID: "c", Name: c.tool, Parameters: json.RawMessage(c.parameters)}
		f := newFact(call, toolOf(c.tool), "/w")
		f.answer(&history.ToolResponse{Result: history.TextResult(c.answer)}, history.View{})
		if f.lo != c.lo || f.hi != c.hi || f.path() != "/w/a" {
			t.Errorf("%s: %s %d to %d, want %d to %d", c.id, f.path(), f.lo, f.hi, c.lo, c.hi)
		}
	}
}

// Long arguments are units. An argument with an unknown name is a unit only if it is long.
func TestLongArguments(t *testing.T) {
	t.Parallel()
	long := string(slices.Repeat([]byte("x"), minArgument+1))
	call := &history.ToolCall{Name: "multi", Parameters: json.RawMessage(`{"path":"a","note":"` + long + `","edits":[{"old":"1","new":"2"},{"old":"3","new":"4"}],"deep":{"old":"no"},"old":"5","old":"6"}`)}
	got := map[string]string{}
	for _, a := range longArguments(call, testTools["multi"]) {
		got[string(a.at)] = a.text
	}
	want := map[string]string{"/note": long, "/edits/0/old": "1", "/edits/0/new": "2", "/edits/1/old": "3", "/edits/1/new": "4", "/old": "6"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	twice := json.RawMessage(`{"edits":[{"old":"1"},{"old":"2"}],"old":"3","edits":[{"old":"4"}],"old":"5","new":"6","new":7}`)
	var counted []string
	for _, a := range longArguments(&history.ToolCall{Name: "multi", Parameters: twice}, testTools["multi"]) {
		counted = append(counted, string(a.at)+" "+a.text)
	}
	if want := []string{"/edits/0/old 4", "/old 5"}; !slices.Equal(counted, want) {
		t.Errorf("of members that are given twice, %q count, want %q", counted, want)
	}
	if shorter, ok := replaceArgument(twice, "/old", "x"); !ok || string(shorter) != strings.Replace(string(twice), `"5"`, `"x"`, 1) {
		t.Errorf("the last is shortened: %s", shorter)
	}
	if units := longArguments(&history.ToolCall{Parameters: json.RawMessage(`"text"`)}, toolspec.Traits{}); units != nil {
		t.Errorf("units %v in parameters that are no object", slices.Collect(maps.Keys(got)))
	}
}

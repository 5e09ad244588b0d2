package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agent/internal/app"
)

// searching returns a document. Each step is a call with its answer, and "say" is a message of the
// user.
func searching(steps ...[3]string) string {
	var entries []string
	for i, s := range steps {
		if s[0] == "say" {
			entries = append(entries, fmt.Sprintf(`{"speaker":"human","blocks":[{"type":"text","text":%q}]}`, s[1]))
			continue
		}
		entries = append(entries,
			fmt.Sprintf(`{"speaker":"ai","blocks":[{"type":"tool_call","id":"%d","name":%q,"parameters":%s}]}`, i, s[0], s[1]),
			fmt.Sprintf(`{"speaker":"tool","blocks":[{"type":"tool_response","callId":"%d","toolName":%q,"result":%q}]}`, i, s[0], s[2]))
	}
	return `{"workspaceRoot":"/w","history":[` + strings.Join(entries, ",") + `,{"speaker":"ai","blocks":[{"type":"text","text":"it is foundName"}]}]}`
}

// A long search is five read-only calls in a row whose results are not edited. The report contains
// the lines that later replies use. A large search early in a session saves cost.
func TestExplore(t *testing.T) {
	t.Parallel()
	large := strings.Repeat("some text of a file that nobody needs again\n", 300)
	read := func(name string) [3]string {
		return [3]string{"read_file", `{"file_path":"` + name + `"}`, large}
	}
	look := [][3]string{
		read("a"),
		{"search_file_content", `{"pattern":"x"}`, "b.go:7: func foundName()\nb.go:9: other\n"},
		{"run_shell_command", `{"command":"cd /w && git log | head -5"}`, "log"},
		read("c"), read("d"),
	}
	edit := [3]string{"replace", `{"file_path":"a","old_string":"nobody","new_string":"x"}`, "ok"}
	test := [3]string{"run_shell_command", `{"command":"go test ./..."}`, "ok"}
	begin := [][3]string{{"say", "find it"}}
	later := strings.Split(strings.Repeat("go test ./... ", 20), " ./... ")
	after := make([][3]string, len(later))
	for i := range after {
		after[i] = test
	}
	join := func(parts ...[][3]string) (all [][3]string) {
		for _, p := range parts {
			all = append(all, p...)
		}
		return all
	}
	for name, c := range map[string]struct {
		steps [][3]string
		want  []string
	}{
		"five":                      {join(begin, look, after), []string{"1 5 calls 3 files"}},
		"four":                      {join(begin, look[1:], after), nil},
		"something of it is edited": {join(begin, look, [][3]string{edit}), nil},
		"edited before":             {join(begin, [][3]string{edit}, look, after), []string{"2 5 calls 3 files"}},
		"a word between":            {join(begin, look[:3], begin, look[3:], after), nil},
		"a test between":            {join(begin, look[:3], after[:1], look, after), []string{"5 5 calls 3 files"}},
	} {
		p := &app.Process{Home: t.TempDir(), Dir: t.TempDir(), Now: time.Now}
		if err := os.WriteFile(filepath.Join(p.Dir, "doc.json"), []byte(searching(c.steps...)), 0o600); err != nil {
			t.Fatal(err)
		}
		var out, table strings.Builder
		root := newRoot(p)
		root.SetArgs([]string{"explore", "--json", "doc.json"})
		root.SetOut(&out)
		if err := root.ExecuteContext(t.Context()); err != nil {
			t.Fatal(err)
		}
		var all []*explored
		if err := json.Unmarshal([]byte(out.String()), &all); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range all[0].Searches {
			got = append(got, fmt.Sprintf("%d %d calls %d files", s.Reply, s.Calls, s.Files))
			if s.Gain[0] <= 0 || s.Gain[0] <= s.Large[0] || s.Report < reportBase+5 || s.Report > reportBase+60 {
				t.Errorf("%s: %+v", name, s)
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(c.want) || all[0].Offered[0] <= 0 {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		if err := printExplored(&table, all); err != nil || !strings.Contains(table.String(), fmt.Sprintf("%d long searches", len(c.want))) {
			t.Errorf("%s, %v", table.String(), err)
		}
	}
}

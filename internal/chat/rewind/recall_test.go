package rewind

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agent/internal/chat/window"
	"agent/internal/history"
	"agent/internal/tools"
	"agent/internal/workspace"
)

// Changes of the file by other programs are reported too.
func TestRecallReportsChangesOfAFile(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	w, err := workspace.New(root, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &Rewinder{Env: &tools.Env{Workspace: w}, Tools: tools.NewRegistry()}
	file := filepath.Join(root, "a.go")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		at   time.Time
		want string
	}{{info.ModTime().Add(time.Second), ""}, {info.ModTime().Add(-time.Second), "a.go was changed on disk since; read it for its current content"}} {
		if got, err := p.fate("a.go", history.RecalledContent{At: c.at}); err != nil || got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	if got, err := p.fate(file, history.RecalledContent{At: info.ModTime().Add(-time.Second)}); err != nil || !strings.HasPrefix(got, "a.go was changed") {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := p.fate("b.go", history.RecalledContent{}); err != nil || got != "b.go no longer exists" {
		t.Errorf("%q", got)
	}
}

// Recalled content has its original text. Calls have their arguments, and answers have their exit
// status and error.
func TestText(t *testing.T) {
	t.Parallel()
	exit := 2
	call := &history.ToolCall{ID: "1", Name: "run_shell_command", Parameters: []byte(`{"command":"a\nb","timeout":3}`)}
	answer := (&history.ToolResponse{CallID: "1", ToolName: "run_shell_command"}).WithResult("out\n")
	answer.ExitCode, answer.Error = &exit, "it failed"
	for name, tc := range map[string]struct {
		blocks []history.Block
		want   string
	}{
		"words": {[]history.Block{&history.Text{Text: "hello"}}, "hello\n"},
		"call":  {[]history.Block{call, answer}, "Call of run_shell_command:\n  command:\na\nb\n  timeout: 3\nAnswer:\nout\nexit 2\nError: it failed\n"},
		"list": {
			[]history.Block{&history.ToolCall{Name: "replace", Parameters: []byte(`{"file_path":"a","edits":[{"old_string":"a\nb","new_string":"c"}],"n":[1]}`)}},
			"Call of replace:\n  edits 1:\n    new_string: c\n    old_string:\na\nb\n  file_path: a\n  n: [1]\n",
		},
		"answer": {[]history.Block{answer}, "out\nexit 2\nError: it failed\n"},
		"image":  {[]history.Block{&history.Media{MimeType: "image/png"}}, "(omitted: image/png, which agent can't recall)\n"},
	} {
		if got := Text(tc.blocks); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}

// A line of the ledger is named by its number, from 1.
func TestLine(t *testing.T) {
	t.Parallel()
	two := []window.Prune{{Subject: "a"}, {Subject: "b"}}
	for number, want := range map[int]string{-1: "", 0: "", 1: "a", 2: "b", 3: ""} {
		line, err := LedgerLine(two, number)
		if line.Subject != want || (err == nil) != (want != "") {
			t.Errorf("%d: %q, %v", number, line.Subject, err)
		}
	}
	if _, err := LedgerLine(nil, 1); err == nil || err.Error() != "can't recall 1: nothing was removed from the context so far" {
		t.Errorf("of none: %v", err)
	}
}

// Content that a later line also contains is listed once, with the later number and the sum of its
// tokens.
func TestDistinct(t *testing.T) {
	t.Parallel()
	call, result, other := history.RecordRef{Entry: "1", CallID: "a"}, history.RecordRef{Entry: "2", CallID: "a"}, history.RecordRef{Entry: "2", CallID: "b"}
	got := ""
	for _, line := range DistinctLines([]window.Prune{
		{Recorded: []history.RecordRef{result}, Tokens: 300},
		{Recorded: []history.RecordRef{other}, Tokens: 20},
		{Recorded: []history.RecordRef{call, result}, Tokens: 40},
		{Tokens: 5},
	}) {
		got += fmt.Sprintf("%d:%d ", line.Number, line.Tokens)
	}
	if got != "2:20 3:340 4:5 " {
		t.Error(got)
	}
}

// Without a record, a rewind or a recall returns an error.
func TestWithoutARecord(t *testing.T) {
	t.Parallel()
	p := &Rewinder{}
	if _, _, err := p.StateAt(1); err != errNoRecord {
		t.Errorf("a point: %v", err)
	}
	if _, _, err := p.PrunedContent(1, window.Prune{}); err != ErrNotRecorded {
		t.Errorf("what was removed: %v", err)
	}
}

package logs

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"agent/internal/base/fsutil"
)

func TestFind(t *testing.T) {
	t.Parallel()
	home, codex := t.TempDir(), t.TempDir()
	write := func(path string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{
		".claude/projects/-w/a.jsonl", ".claude/projects/-w/sub/b.jsonl", ".claude/projects/-w/notes.md", ".claude/history.jsonl",
		".codex/sessions/2026/11/22/rollout-1.jsonl", // CODEX_HOME is another folder
		".gemini/tmp/abc/chats/session-1.json", ".gemini/tmp/abc/chats/session-2.jsonl", ".gemini/tmp/abc/logs.json",
		".pi/agent/sessions/--w--/1.jsonl",
	} {
		write(filepath.Join(home, path))
	}
	write(filepath.Join(codex, "sessions/2026/11/22/rollout-2.jsonl"))
	write(filepath.Join(codex, "sessions/2026/11/22/other.jsonl"))
	old := filepath.Join(home, ".claude/projects/-w/old.jsonl")
	write(old)
	if err := os.Chtimes(old, time.Unix(1, 0), time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	env := func(name string) string {
		if name == "CODEX_HOME" {
			return codex
		}
		return ""
	}
	var got []string
	recent, _ := Since(Find(home, env, func(path string, err error) { t.Errorf("%s: %v", path, err) }), time.Now().Add(-time.Hour))
	for _, f := range recent {
		got = append(got, fsutil.RelativeBelow(fsutil.RelativeBelow(f.Path, home), codex))
	}
	slices.Sort(got)
	want := []string{
		".claude/projects/-w/a.jsonl", ".claude/projects/-w/sub/b.jsonl",
		".gemini/tmp/abc/chats/session-1.json", ".gemini/tmp/abc/chats/session-2.jsonl",
		".pi/agent/sessions/--w--/1.jsonl",
		"sessions/2026/11/22/rollout-2.jsonl",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

package app

import (
	"context"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"agent/internal/git/worktree"
	"agent/internal/history"
	"agent/internal/session"
)

// repositories makes folders with sessions, and returns for each whether it belongs to the
// repository of the first.
func repositories(t *testing.T, base, cache string) map[string]bool {
	t.Helper()
	at := func(parts ...string) string { return filepath.Join(append([]string{base}, parts...)...) }
	for _, dir := range []string{"repo/.git/worktrees/linked", "repo/sub", "repo/nested/.git", "linked", "other/.git", "plain"} {
		if err := os.MkdirAll(at(dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for path, text := range map[string]string{
		"linked/.git": "gitdir: " + at("repo/.git/worktrees/linked") + "\n", "repo/.git/worktrees/linked/commondir": "../..\n",
	} {
		if err := os.WriteFile(at(path), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return map[string]bool{
		at("repo"): true, at("repo/sub"): true, at("linked"): true,
		filepath.Join(worktree.Folder(cache, at("repo/.git")), "removed"): true,
		at("repo/nested"): false, at("other"): false, at("plain"): false, at("repo/gone"): false, base: false,
	}
}

// Whatever the model asks for and whatever was indexed before, it receives no content of another
// repository, of a deleted session or of this session.
func TestOnlySessionsOfTheRepositoryAreGiven(t *testing.T) {
	t.Parallel()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	f := Folders{Data: filepath.Join(base, "data"), State: filepath.Join(base, "state"), Cache: filepath.Join(base, "cache")}
	belongs := repositories(t, base, f.Cache)
	now := time.Date(2026, 11, 1, 9, 0, 0, 0, time.UTC)
	type recorded struct {
		id, path, word string
		given          bool
	}
	var all []recorded
	random := rand.New(rand.NewSource(1))
	record := func(folder string) {
		log, err := session.Create(session.Options{Dir: f.Sessions(), Workspace: folder, Now: func() time.Time { return now }, Random: random, PID: 1})
		if err != nil {
			t.Fatal(err)
		}
		word := fmt.Sprintf("word%dx", len(all))
		if err := log.Observe(history.Mutation{Kind: history.MutationAdded, Entry: history.HumanText("shared " + word + " of " + filepath.Base(folder))}); err != nil {
			t.Fatal(err)
		}
		all = append(all, recorded{log.ID(), log.Path(), word, belongs[folder]})
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
	}
	folders := make([]string, 0, len(belongs))
	for folder := range belongs {
		folders = append(folders, folder)
	}
	slices.Sort(folders)
	for _, folder := range folders {
		record(folder)
		record(folder)
	}
	root, deleted := filepath.Join(base, "repo"), 0
	rapid.Check(t, func(rt *rapid.T) {
		own := ""
		if rapid.Bool().Draw(rt, "own") {
			own = rapid.SampledFrom(all).Draw(rt, "session").id
		}
		if rapid.IntRange(0, 20).Draw(rt, "delete") == 0 && deleted < len(all)-4 {
			deleted++
			i := rapid.IntRange(0, len(all)-1).Filter(func(i int) bool { return all[i].path != "" }).Draw(rt, "deleted")
			if err := f.DeleteSession(session.Info{ID: all[i].id, Path: all[i].path}); err != nil {
				rt.Fatal(err)
			}
			all[i].given, all[i].path = false, ""
		}
		model := finding{f.Finder(root, func() time.Time { return now }), func() string { return own }, nil}
		one := rapid.SampledFrom(all).Draw(rt, "asked")
		query := rapid.SampledFrom([]string{"shared", one.word, "word", `"shared ` + one.word + `"`, "of after:2026-01-01"}).Draw(rt, "query")
		only := ""
		if rapid.Bool().Draw(rt, "only") {
			only = one.id
		}
		passages, _, err := model.Find(context.Background(), query, only)
		if err != nil {
			rt.Fatal(err)
		}
		text := strings.Join(passages, "\n")
		if outline, err := model.Outline(context.Background(), one.id); err == nil {
			text += outline.Text
		} else if one.given {
			rt.Fatal(err)
		}
		if entry, err := model.Entry(context.Background(), one.id, 2); err == nil {
			text += entry.Text
		}
		for _, r := range all {
			if !r.given && (strings.Contains(text, r.word+" ") || strings.Contains(text, r.id)) {
				rt.Fatalf("%q gives %s: %s", query, r.id, text)
			}
			if r.id == own && strings.Contains(strings.Join(passages, "\n"), r.id) {
				rt.Fatalf("%q gives this session", query)
			}
		}
		if one.given && one.id != own && !strings.Contains(text, one.word) {
			rt.Fatalf("%q does not give %s: %s", query, one.word, text)
		}
	})
}

package snapshot_test

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"agent/internal/snapshot"
)

// Tools and commands make random edits over several turns. Undoing all turns restores the original
// files, except empty folders. Redoing them restores the final files, and a rewind to any mark the
// files of that time. The program can restart at any point.
func TestAnyWorkIsUndoneAndRedone(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		b := newBench(t, map[string]string{"a": "0\n", "d/b": "1\n", "d/e/c": "2\n"})
		defer b.close()
		if rapid.IntRange(0, 29).Draw(r, "repository") == 1 {
			b.shell("touch -d '1 hour ago' a d/b d/e/c; git init -q --template=; git add -A; sleep 0.02")
		}
		want := func(was string) {
			if is := b.files(); is != was {
				r.Fatalf("the workspace holds\n%s\nwant\n%s", is, was)
			}
		}
		states := []string{b.files()}
		marks := []snapshot.Mark{b.Mark()}
		for turn := range rapid.IntRange(1, 3).Draw(r, "turns") {
			b.BeginTurn(fmt.Sprint(turn))
			began := b.Mark()
			for step := range rapid.IntRange(1, 2).Draw(r, "steps") {
				b.work(r, fmt.Sprintf("%d %d\n", turn, step))
			}
			if since, steps := b.ChangesSince(t.Context(), began).Files, b.planned(b.PlanRestore(t.Context(), began)).Steps; !slices.EqualFunc(since, steps, func(file string, s snapshot.Step) bool { return s.Path == file }) {
				r.Fatalf("the turn changed %q, going back is %v", since, steps)
			}
			if now := b.files(); now != states[len(states)-1] {
				states, marks = append(states, now), append(marks, b.Mark())
			}
		}
		// A turn can change files and revert its changes. Undoing it changes nothing.
		at := len(states) - 1
		for {
			plan, err := b.PlanUndo(t.Context())
			if err != nil {
				break
			}
			b.apply(plan, nil)
			if rapid.Bool().Draw(r, "anew") {
				b.open()
			}
		}
		want(states[0])
		for {
			plan, err := b.PlanRedo(t.Context())
			if err != nil {
				break
			}
			b.apply(plan, nil)
		}
		want(states[at])
		for range 3 {
			at := rapid.IntRange(0, len(states)-1).Draw(r, "mark")
			b.apply(b.PlanRestore(t.Context(), marks[at]))
			want(states[at])
		}
	})
}

// work changes files as a tool or as a command does.
func (b *bench) work(r *rapid.T, content string) {
	switch rapid.SampledFrom([]string{"edit", "edit", "command"}).Draw(r, "by") {
	case "edit":
		name := anyName.Draw(r, "name")
		info, err := os.Lstat(b.path(name))
		if err == nil && !info.Mode().IsRegular() {
			return
		}
		for above := path.Dir(name); above != "."; above = path.Dir(above) {
			if info, err := os.Lstat(b.path(above)); err == nil && !info.IsDir() {
				return
			}
		}
		if content := rapid.SampledFrom([]string{content, "", "0\n"}).Draw(r, "content"); !b.holds(name, content) {
			if _, err := b.w.Resolve(name); err == nil {
				b.edit(name, content)
			}
		}
	case "command":
		settle := b.BeginCommand(b.t.Context())
		b.anyChange(r, content)
		settle()
	}
}

var anyName = rapid.SampledFrom([]string{"a", "d/b", "d/e/c", "d/e", "new", "x/y/z", "x"})

// anyChange makes a random change that a command could make.
func (b *bench) anyChange(r *rapid.T, content string) {
	how := rapid.SampledFrom([]string{"remove", "move", "mode", "folder", "link", "append", "all"}).Draw(r, "command")
	b.change(how, b.path(anyName.Draw(r, "name")), b.path(anyName.Draw(r, "other")), content)
}

// change makes a change as a command does, or none if that is not possible.
func (b *bench) change(how, path, other, content string) {
	switch how {
	case "remove":
		_ = os.RemoveAll(path)
	case "move":
		_ = os.Rename(path, other)
	case "mode":
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
			_ = os.Chmod(path, 0o700+fs.FileMode(len(content)%8))
		}
	case "folder":
		if os.MkdirAll(path, 0o755) == nil {
			_ = os.WriteFile(filepath.Join(path, "f"), []byte(content), 0o644)
		}
	case "link":
		_ = os.Symlink(other, path)
	case "append":
		if f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0); err == nil {
			_, _ = f.WriteString(content)
			f.Close()
		}
	case "all":
		for _, name := range []string{"a", "d", "x", "new"} {
			_ = os.RemoveAll(b.path(name))
		}
	}
}

func (b *bench) holds(name, content string) bool {
	held, err := os.ReadFile(b.path(name))
	return err == nil && string(held) == content
}

// A file that was removed and created again gets the mode of a new file, even if the old file had
// another mode and was restored in between.
func TestRecreatedFileHasTheModeOfNewFiles(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{"a": "0\n"})
	defer b.close()
	b.BeginTurn("mode")
	b.run("chmod 704 a")
	before, at := b.contents(), b.Mark()
	b.BeginTurn("removed")
	b.run("rm a")
	b.BeginTurn("made")
	b.edit("a", "new\n")
	after, end := b.contents(), b.Mark()
	b.apply(b.PlanRestore(t.Context(), at))
	b.want(before)
	b.apply(b.PlanRestore(t.Context(), end))
	b.want(after)
}

package ignore

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/git"
	"agent/internal/git/layout"
)

// mostRounds bounds how often git is asked, which is once for each level of folders that
// it tracks nothing in.
const mostRounds = 4

// others reports what the index does not know and git does not ignore. It is false when
// that cannot be determined.
func (w *folderWalk) others() bool {
	var found []string
	asked := w.unknown
	for round := 0; len(asked) > 0; round++ {
		if round == mostRounds || w.ctx.Err() != nil {
			return false
		}
		left, ok := w.notIgnored(asked)
		if !ok {
			return false
		}
		asked = nil
		for _, name := range left {
			if strings.HasSuffix(name, "/") {
				asked = append(asked, w.inside(name)...)
			} else {
				found = append(found, name)
			}
		}
	}
	for _, name := range w.inner {
		found = append(found, repositoryFiles(w.ctx, w.dir, name)...)
	}
	slices.Sort(found)
	others := w.to.files(slices.Compact(found), string(w.path[:w.above]))
	w.told = w.told || others.Listed
	return true
}

// inside are what a folder holds that git tracks nothing in, unless it is a repository.
func (w *folderWalk) inside(folder string) (names []string) {
	var here level
	repository, err := here.read(&w.reader, w.dir, folder)
	switch {
	case err != nil:
		w.blind = true
		return nil
	case repository && isRepository(w.dir.abs(folder)):
		w.inner = append(w.inner, folder)
		return nil
	}
	w.source(folder, &here)
	for _, item := range here.items {
		names = append(names, folder+string(here.name(item)))
	}
	return names
}

// isRepository reports whether git takes what is called .git in a folder for a repository.
func isRepository(dir string) bool {
	folder := layout.Folder(dir)
	has := func(name string) bool {
		_, err := os.Stat(filepath.Join(folder, name))
		return err == nil
	}
	return folder != "" && has("HEAD") && (has("objects") && has("refs") || has("commondir"))
}

// notIgnored asks git which names it does not ignore, with the folders they are in. That it
// does not track them is known; to look them up in the index, as git does unless it is configured not
// to, takes long in a large one.
func (w *folderWalk) notIgnored(names []string) (left []string, ok bool) {
	const literal = "./" // lest a colon at its beginning says something
	var list bytes.Buffer
	for _, name := range names {
		list.WriteString(literal + strings.TrimSuffix(name, "/") + "\x00")
	}
	out, err := git.Answer(w.ctx, w.dir.abs("."), &list, "check-ignore", "--no-index", "--verbose", "-z", "--stdin")
	var failed *exec.ExitError
	if err != nil && (!errors.As(err, &failed) || failed.ExitCode() != 1) { // 1: none of them
		return nil, false
	}
	for _, name := range names {
		// For each that a pattern is of: where that is, its line, the pattern, the name.
		fields := bytes.SplitN(out, []byte{0}, 5)
		if len(fields) < 5 || string(fields[3]) != literal+strings.TrimSuffix(name, "/") {
			left = append(left, name)
			continue
		}
		out = fields[4]
		if bytes.HasPrefix(fields[2], []byte("!")) {
			left = append(left, name)
		}
	}
	return left, len(out) == 0
}

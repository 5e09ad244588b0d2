package ignore

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/git/gitcmd"
	"agent/internal/gitfiles/layout"
)

// mostRounds is the greatest number of calls of git. Each round goes one level deeper into folders
// without tracked files.
const mostRounds = 4

// reportOthers reports the files that are neither in the index nor ignored. It returns false if they
// cannot be determined.
func (w *folderWalk) reportOthers() bool {
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

// inside returns the content of a folder without tracked files. If the folder is a repository,
// inside adds it to w.inner and returns nothing.
func (w *folderWalk) inside(folder string) (names []string) {
	var here level
	repository, err := here.read(w.dir, folder)
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

// isRepository reports whether git accepts the .git in a folder as a repository.
func isRepository(dir string) bool {
	folder := layout.GitDir(dir)
	has := func(name string) bool {
		_, err := os.Stat(filepath.Join(folder, name))
		return err == nil
	}
	return folder != "" && has("HEAD") && (has("objects") && has("refs") || has("commondir"))
}

// notIgnored returns those of names that git does not ignore. names lists files and folders without
// tracked files. The option --no-index prevents a slow lookup in a large index.
func (w *folderWalk) notIgnored(names []string) (left []string, ok bool) {
	const literal = "./" // a leading colon would have a special meaning
	var list bytes.Buffer
	for _, name := range names {
		list.WriteString(literal + strings.TrimSuffix(name, "/") + "\x00")
	}
	out, err := gitcmd.OutputWithInput(w.ctx, w.dir.abs("."), &list, "check-ignore", "--no-index", "--verbose", "-z", "--stdin")
	var failed *exec.ExitError
	if err != nil && (!errors.As(err, &failed) || failed.ExitCode() != 1) { // 1: no name is ignored
		return nil, false
	}
	for _, name := range names {
		// Git prints four fields for each matched name: file, line, pattern and name.
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

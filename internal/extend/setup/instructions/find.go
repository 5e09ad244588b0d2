package instructions

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/base/humanize"
	"agent/internal/extend/setup/trustedfile"
)

// Find reads the files for a workspace, the most general first. If their total size exceeds the
// limit, it cuts the most general files, and their text contains a note.
func Find(w Locations) Listing {
	f := newFinder(w)
	f.user()
	project := trustedfile.FoldersAbove(w.Home, w.Workspace)
	f.place.Root = project[0]
	before := len(f.found.Files)
	for _, dir := range project {
		f.folder(dir)
	}
	if len(f.found.Files) == before {
		for _, name := range lastResorts {
			f.add(filepath.Join(project[0], filepath.FromSlash(name)))
		}
	}
	for _, r := range f.rules(project[0]) {
		if r.always {
			f.addText(r.path, r.text, r.body)
		}
	}
	f.shorten()
	return f.found
}

// finder collects files.
type finder struct {
	Locations
	place trustedfile.ReadScope
	found Listing
	// contents holds the cleaned contents that were already added.
	contents map[string]bool
	// paths holds the paths of the files that were added, with links resolved.
	paths map[string]bool
}

func newFinder(w Locations) *finder {
	if len(w.Files) == 0 {
		w.Files = DefaultFiles
	}
	return &finder{Locations: w, place: trustedfile.ReadScope{Home: w.Home}, contents: map[string]bool{}, paths: map[string]bool{}}
}

// user adds the user's own file.
func (f *finder) user() {
	own := []string{filepath.Join(f.Config, "AGENTS.md")}
	for _, name := range userFiles {
		if f.Home != "" {
			own = append(own, filepath.Join(f.Home, filepath.FromSlash(name)))
		}
	}
	for _, file := range own {
		if f.add(file) {
			return
		}
	}
}

// folder adds the file of a folder and its companion. It reports the folder's other files, which
// the model does not receive.
func (f *finder) folder(dir string) {
	winner := ""
	for _, name := range f.Files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		switch {
		case winner == "":
			if f.add(file) {
				winner = name
			}
		case f.isLost(file, winner):
			f.found.Unread = append(f.found.Unread, fmt.Sprintf("%s is not read, because %s takes precedence. To include it, add the line @%s to that file", name, winner, filepath.Base(name)))
		}
	}
	for _, name := range companions {
		if f.add(filepath.Join(dir, name)) {
			return
		}
	}
}

// isLost reports whether the model lacks content of a file because winner is read instead.
func (f *finder) isLost(file, winner string) bool {
	text, err := f.place.Read(file, MaxFile)
	if err == nil && strings.TrimSpace(text.Text) == "@"+winner {
		return false // it imports winner, for programs that read no other file
	}
	return err == nil && !f.paths[text.Real] && !f.contents[clean(text.Text)] && clean(text.Text) != ""
}

// add adds a file unless its content was added before. It reports whether the file exists.
func (f *finder) add(file string) bool {
	text, err := f.place.Read(file, MaxFile)
	switch {
	case trustedfile.IsMissing(err):
		return false
	case err != nil:
		f.found.Problems = append(f.found.Problems, fmt.Errorf("instructions for the model are omitted: %w", err))
		return true // no other file must silently replace it
	}
	f.addText(file, text, clean(text.Text))
	return true
}

// addText adds a file with its cleaned text, unless the text is empty or was added before.
func (f *finder) addText(file string, text trustedfile.Text, cleaned string) {
	if f.paths[text.Real] || cleaned == "" || f.contents[cleaned] {
		return
	}
	f.paths[text.Real], f.contents[cleaned] = true, true
	whole := strings.TrimSpace(f.expandImports(cleaned, text.Real, 0))
	if text.Cut {
		whole += "\n(cut: the file is longer than 64 KiB)"
	}
	f.found.Files = append(f.found.Files, File{file, whole})
}

// FindNested reads the instructions for a file below the workspace that Find does not return. They are
// the files of the folders between the workspace and the file, and the rules with matching
// patterns. path is relative to the workspace, with slashes.
func FindNested(w Locations, path string) Listing {
	f := newFinder(w)
	project := trustedfile.FoldersAbove(w.Home, w.Workspace)
	f.place.Root = project[0]
	dir := w.Workspace
	parts := strings.Split(path, "/")
	for _, part := range parts[:len(parts)-1] {
		dir = filepath.Join(dir, part)
		f.folder(dir)
	}
	f.found.Unread = nil // only Find reports them
	for _, root := range project {
		rel, err := filepath.Rel(root, filepath.Join(w.Workspace, filepath.FromSlash(path)))
		if err != nil {
			continue
		}
		for _, r := range f.rules(root) {
			if !r.always && r.matches(filepath.ToSlash(rel)) {
				f.addText(r.path, r.text, r.body)
			}
		}
	}
	return f.found
}

// shorten cuts the most general files if the total size of all files is too large.
func (f *finder) shorten() {
	left := MaxTotal
	if f.Most > 0 {
		left = min(left, f.Most)
	}
	longer := "all instructions together are longer than " + humanize.Bytes(int64(left))
	for i, file := range slices.Backward(f.found.Files) {
		if len(file.Text) > left {
			f.found.Files[i].Text = strings.ToValidUTF8(file.Text[:left], "") + "\n(cut: " + longer + ")"
			f.found.Problems = append(f.found.Problems, fmt.Errorf("%s is cut: %s", file.Path, longer))
		}
		left -= min(left, len(file.Text))
	}
}

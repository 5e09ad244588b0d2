package setup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/base/fsutil"
	"agent/internal/extend/setup/trustedfile"
)

// The limits of the search for skills: the depth of folders and the number of folders.
const (
	maxDepth   = 4
	maxFolders = 2000
)

// skillPlaces lists the folders of skills. A skill is a folder with a file SKILL.md, which contains
// a description and the instructions.
var skillPlaces = places{
	project: []string{".agents/skills", ".claude/skills", ".github/skills"}, own: "skills",
	user:    []string{".agents/skills", ".claude/skills", ".codex/skills"},
	plugin:  func(p trustedfile.Plugin) []string { return p.Skills },
	longest: 128 << 10, // the largest skill that Anthropic publishes has 72 KiB
}

// notUsed lists fields that have an effect in other coding agents but not here.
var notUsed = []string{"model", "effort", "context", "agent", "hooks", "paths"}

// findSkills reads the skills of a workspace and its user.
func findSkills(w trustedfile.Locations, further []string) Listing {
	p := skillPlaces
	p.further = further
	looked := 0
	return find(w, p, func(f *finder, dir string) {
		walk(dir, 0, &looked, func(file string) { f.read(file, f.skill) })
	})
}

// walk calls use with each SKILL.md below a folder. It does not search below a folder that is a
// skill.
func walk(dir string, depth int, looked *int, use func(file string)) {
	if depth > maxDepth || *looked >= maxFolders {
		return
	}
	*looked++
	file := filepath.Join(dir, "SKILL.md")
	if _, err := os.Lstat(file); err == nil { // most folders are skills and need not be listed
		use(file)
		return
	}
	entries, _ := os.ReadDir(dir) // an unreadable folder counts as empty
	for _, e := range entries {
		if e.Name() != ".git" && e.Name() != "node_modules" && (e.IsDir() || e.Type()&fs.ModeSymlink != 0) {
			walk(filepath.Join(dir, e.Name()), depth+1, looked, use)
		}
	}
}

// skill parses a skill. It returns an error if the file is not a skill.
func (f *finder) skill(s *Entry, text string) error {
	fields, body, ok := trustedfile.Frontmatter(text)
	if !ok {
		return errors.New("no frontmatter; begin the file with name and description between two lines of three dashes")
	}
	s.describe(fields)
	if s.Description == "" {
		return errors.New("has no description")
	}
	s.Description = strings.TrimSpace(s.Description + " " + oneLine(fields["when_to_use"]))
	s.Name, s.Dir, s.Disallowed = fields["name"], filepath.Dir(s.File), fields.Rules("disallowed-tools")
	s.Hidden, s.Unlisted = fields.Bool("disable-model-invocation", false), !fields.Bool("user-invocable", true)
	s.text.Text, s.text.Dir = strings.TrimSpace(body), s.Dir
	folder := filepath.Base(s.Dir)
	switch {
	case s.Name == "":
		s.Name = folder
		s.Notes = append(s.Notes, "has no name; the name of its folder is used")
	case s.Name != folder:
		s.Notes = append(s.Notes, "its name differs from the name of its folder: "+folder)
	}
	s.Name = f.prefix + strings.ReplaceAll(strings.TrimSpace(s.Name), " ", "-")
	for _, field := range notUsed {
		if _, given := fields[field]; given {
			s.Notes = append(s.Notes, field+" has no effect here")
		}
	}
	if i := slices.IndexFunc(f.Entries, func(other *Entry) bool { return other.Name == s.Name }); i >= 0 {
		s.Shadowed = true
		s.Notes = append(s.Notes, fmt.Sprintf("%s is used instead", f.Entries[i].File))
	}
	return nil
}

// maxFiles is the greatest number of a skill's files that the model sees.
const maxFiles = 100

// Files returns the files of a skill, without SKILL.md, two levels deep and relative to its folder.
// more reports whether there are more.
func (e *Entry) Files() (files []string, more bool) {
	_ = filepath.WalkDir(e.Dir, func(path string, d fs.DirEntry, err error) error {
		name := fsutil.RelativeBelow(path, e.Dir)
		switch {
		case err != nil || path == e.Dir || name == "SKILL.md":
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules" || strings.Count(name, "/") >= 2):
			return fs.SkipDir
		case !d.IsDir() && len(files) == maxFiles:
			more = true
			return fs.SkipAll
		case !d.IsDir():
			files = append(files, name)
		}
		return nil
	})
	return files, more
}

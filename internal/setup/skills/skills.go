// Package skills finds Agent Skills: folders with a file SKILL.md that says in a line
// what the skill is for, and in its text how it is done. It reads and never runs
// anything.
package skills

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/setup/fill"
	"agent/internal/setup/source"
)

// Limits of what is read.
const (
	maxFile    = 128 << 10 // the largest that Anthropic publishes has 72 KiB
	maxDepth   = 4
	maxFolders = 2000
)

// folders are the places of skills below a folder of the workspace, and below home.
var (
	projectFolders = []string{".agents/skills", ".claude/skills", ".github/skills"}
	userFolders    = []string{".agents/skills", ".claude/skills", ".codex/skills"}
)

// notUsed are fields of other programs that have no effect here.
var notUsed = []string{"model", "effort", "context", "agent", "hooks", "paths"}

// Skill is one skill; its file is SKILL.md.
type Skill struct {
	source.Entry
	// Dir is its folder.
	Dir string
	// Names are those of the named arguments.
	Names []string
	// Disallowed are the tools it must not use.
	Disallowed []string
	// Hidden says that only a person may use it, Unlisted that only the model may.
	Hidden, Unlisted bool
	// Shadowed says that a skill of the same name is used in its place; it is reached as
	// /user:NAME.
	Shadowed bool

	body string
}

// Found are the skills, by name, and what was left out with the reason.
type Found struct {
	Skills []*Skill
	// LeftOut are files that are no skills, each with what is wrong.
	LeftOut []string
}

// Find reads the skills of a workspace and of the user: the nearer folder precedes the
// farther one, and the project's before the user's.
func Find(w source.Where) Found {
	f := finder{files: source.Finder{Limit: maxFile}}
	f.files.Each(w, projectFolders, "skills", userFolders, func(dir string, from source.Entry) {
		f.walk(dir, 0, func(file string) { f.read(file, from) })
	})
	slices.SortStableFunc(f.found, func(a, b *Skill) int { return strings.Compare(a.Name, b.Name) })
	return Found{f.found, f.files.LeftOut}
}

// Named returns the skill that a name means: the one that is used under it, or that of an
// origin behind "project:" or "user:".
func (f Found) Named(name string) *Skill {
	for _, s := range f.Skills {
		if s.Called(name) {
			return s
		}
	}
	return nil
}

type finder struct {
	files source.Finder
	found []*Skill
	count int
}

// read reads a skill.
func (f *finder) read(file string, from source.Entry) {
	if _, err := os.Stat(file); source.Missing(err) {
		return // a link that leads nowhere
	}
	f.files.Read(file, func(text string) error {
		s, err := parse(file, text)
		if err != nil {
			return err
		}
		s.Origin, s.Own = from.Origin, from.Own
		if i := slices.IndexFunc(f.found, func(other *Skill) bool { return other.Name == s.Name }); i >= 0 {
			s.Shadowed = true
			s.Notes = append(s.Notes, fmt.Sprintf("%s is used in its place", f.found[i].File))
		}
		f.found = append(f.found, s)
		return nil
	})
}

// walk calls use with each SKILL.md below a folder. A folder that is a skill has no
// skills below it.
func (f *finder) walk(dir string, depth int, use func(file string)) {
	if depth > maxDepth || f.count >= maxFolders {
		return
	}
	if depth > 0 { // most folders are skills, and need not be listed
		if file := filepath.Join(dir, "SKILL.md"); isThere(file) {
			f.count++
			use(file)
			return
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	f.count++
	if slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == "SKILL.md" }) {
		use(filepath.Join(dir, "SKILL.md"))
		return
	}
	for _, e := range entries {
		if e.Name() == ".git" || e.Name() == "node_modules" {
			continue
		}
		if e.IsDir() || e.Type()&fs.ModeSymlink != 0 {
			f.walk(filepath.Join(dir, e.Name()), depth+1, use)
		}
	}
}

func isThere(file string) bool {
	_, err := os.Lstat(file)
	return err == nil
}

// parse reads a skill; the error says what keeps it from being one.
func parse(file, text string) (*Skill, error) {
	fields, body, ok := source.Frontmatter(text)
	if !ok {
		return nil, errors.New("has no frontmatter; begin it with a line of three dashes, name, description, and dashes again")
	}
	s := &Skill{
		Entry: source.Entry{Name: fields["name"], Description: oneLine(fields["description"]), File: file, Hint: fields["argument-hint"], Allowed: fields.List("allowed-tools")},
		Dir:   filepath.Dir(file), Names: fields.List("arguments"), Disallowed: fields.List("disallowed-tools"),
		Hidden: fields.Bool("disable-model-invocation", false), Unlisted: !fields.Bool("user-invocable", true), body: strings.TrimSpace(body),
	}
	if s.Description == "" {
		return nil, errors.New("has no description")
	}
	if when := oneLine(fields["when_to_use"]); when != "" {
		s.Description += " " + when
	}
	folder := filepath.Base(s.Dir)
	switch {
	case s.Name == "":
		s.Name = folder
		s.Notes = append(s.Notes, "has no name; it is called like its folder")
	case s.Name != folder:
		s.Notes = append(s.Notes, "its folder has another name: "+folder)
	}
	s.Name = strings.ReplaceAll(strings.TrimSpace(s.Name), " ", "-")
	for _, field := range notUsed {
		if _, given := fields[field]; given {
			s.Notes = append(s.Notes, field+" has no effect here")
		}
	}
	return s, nil
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// Fill returns the text of the skill with the arguments of a line in it.
func (s *Skill) Fill(line string) []fill.Part {
	return fill.Template{Text: s.body, Names: s.Names, Dir: s.Dir}.Fill(line)
}

// listed is how many files of a skill are named to the model.
const listed = 100

// Files lists the files of a skill besides SKILL.md, two levels deep, relative to its
// folder; more says that there are more.
func (s *Skill) Files() (files []string, more bool) {
	_ = filepath.WalkDir(s.Dir, func(path string, d fs.DirEntry, err error) error {
		rel, relErr := filepath.Rel(s.Dir, path)
		switch {
		case err != nil || relErr != nil || rel == "." || rel == "SKILL.md":
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules" || strings.Count(rel, string(filepath.Separator)) >= 2):
			return fs.SkipDir
		case !d.IsDir() && len(files) == listed:
			more = true
			return fs.SkipAll
		case !d.IsDir():
			files = append(files, filepath.ToSlash(rel))
		}
		return nil
	})
	return files, more
}

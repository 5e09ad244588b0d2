// Package skills finds Agent Skills: folders with a file SKILL.md that says in a line
// what the skill is for, and in its text how it is done. It reads and never runs
// anything.
package skills

import (
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

// Where says where to look. All folders are absolute.
type Where struct {
	// Config is the program's folder of configuration, Home the user's home folder.
	Config, Home string
	Workspace    string
	// Further are more folders of skills (skills.paths), the user's own.
	Further []string
}

// Origin is whose skill it is.
type Origin string

// The origins.
const (
	Project Origin = "project"
	User    Origin = "user"
)

// Skill is one skill.
type Skill struct {
	Name, Description string
	Origin            Origin
	// Own says that it lies in this program's folders or in ~/.agents, so that what it
	// grants counts without a question.
	Own bool
	// Dir is its folder, File its SKILL.md.
	Dir, File string
	// Hint says what arguments it takes, Names are the named ones.
	Hint  string
	Names []string
	// Allowed are the grants it asks for, Disallowed the tools it must not use.
	Allowed, Disallowed []string
	// Hidden says that only a person may use it, Unlisted that only the model may.
	Hidden, Unlisted bool
	// Shadowed says that a skill of the same name is used in its place; it is reached as
	// /user:NAME.
	Shadowed bool
	// Notes say what of it was taken leniently or has no effect.
	Notes []string

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
func Find(w Where) Found {
	f := &finder{seen: map[string]bool{}}
	project := source.Above(w.Home, w.Workspace)
	f.place = source.Place{Root: project[0], Home: w.Home}
	for _, dir := range slices.Backward(project) {
		for _, name := range projectFolders {
			f.folder(filepath.Join(dir, filepath.FromSlash(name)), Project, false)
		}
	}
	f.place = source.Place{Home: w.Home}
	f.folder(filepath.Join(w.Config, "skills"), User, true)
	if w.Home != "" {
		for _, name := range userFolders {
			f.folder(filepath.Join(w.Home, filepath.FromSlash(name)), User, strings.HasPrefix(name, ".agents/"))
		}
	}
	for _, dir := range w.Further {
		f.folder(dir, User, true)
	}
	slices.SortStableFunc(f.found.Skills, func(a, b *Skill) int { return strings.Compare(a.Name, b.Name) })
	return f.found
}

// Named returns the skill that a name means: the one that is used under it, or that of an
// origin behind "project:" or "user:".
func (f Found) Named(name string) *Skill {
	for _, s := range f.Skills {
		if s.Name == name && !s.Shadowed || string(s.Origin)+":"+s.Name == name {
			return s
		}
	}
	return nil
}

type finder struct {
	place source.Place
	found Found
	seen  map[string]bool
	count int
}

// folder reads the skills below a folder. A folder that links lead to is read once.
func (f *finder) folder(dir string, origin Origin, own bool) {
	f.walk(dir, 0, func(file string) {
		text, err := f.place.Read(file, maxFile)
		if source.Missing(err) || f.seen[text.Real] && err == nil {
			return
		}
		if err != nil {
			f.leaveOut(file, err.Error())
			return
		}
		f.seen[text.Real] = true
		s, why := parse(file, text)
		if why != "" {
			f.leaveOut(file, why)
			return
		}
		s.Origin, s.Own = origin, own
		if i := slices.IndexFunc(f.found.Skills, func(other *Skill) bool { return other.Name == s.Name }); i >= 0 {
			s.Shadowed = true
			s.Notes = append(s.Notes, fmt.Sprintf("%s is used in its place", f.found.Skills[i].File))
		}
		f.found.Skills = append(f.found.Skills, s)
	})
}

func (f *finder) leaveOut(file, why string) {
	f.found.LeftOut = append(f.found.LeftOut, strings.TrimPrefix(file+": "+strings.TrimPrefix(why, file+": "), " "))
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

// parse reads a skill; why says what keeps it from being one.
func parse(file string, text source.Text) (s *Skill, why string) {
	if text.Cut {
		return nil, "is longer than 128 KiB"
	}
	fields, body, ok := source.Frontmatter(text.Text)
	if !ok {
		return nil, "has no frontmatter; begin it with a line of three dashes, name, description, and dashes again"
	}
	s = &Skill{
		Name: fields["name"], Description: oneLine(fields["description"]), Dir: filepath.Dir(file), File: file, Hint: fields["argument-hint"],
		Names: fields.List("arguments"), Allowed: fields.List("allowed-tools"), Disallowed: fields.List("disallowed-tools"),
		Hidden: fields.Bool("disable-model-invocation", false), Unlisted: !fields.Bool("user-invocable", true), body: strings.TrimSpace(body),
	}
	if s.Description == "" {
		return nil, "has no description"
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
	return s, ""
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

package source

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Origin is whose a skill or command is.
type Origin string

// The origins.
const (
	Project Origin = "project"
	User    Origin = "user"
)

// Entry is what a skill and a command have in common: a file that is called by a name.
type Entry struct {
	Name, Description string
	// Hint says what arguments it takes.
	Hint   string
	Origin Origin
	// Own says that it lies in this program's folders or in ~/.agents, so that what it
	// grants counts without a question.
	Own bool
	// File is where it is written.
	File string
	// Allowed are the grants it asks for.
	Allowed []string
	// Notes say what of it was taken leniently or has no effect.
	Notes []string
}

// Called reports whether a name means the entry: its own, or that behind "project:" or
// "user:".
func (e *Entry) Called(name string) bool {
	return e.Name == name || string(e.Origin)+":"+e.Name == name
}

// Where says where to look. All folders are absolute.
type Where struct {
	// Config is the program's folder of configuration, Home the user's home folder.
	Config, Home, Workspace string
	// Further are more folders, the user's own.
	Further []string
}

// Finder reads files of a workspace and of its user, each once. What cannot be read is
// left out.
type Finder struct {
	// Limit is how long a file may be, in bytes.
	Limit int
	// LeftOut are files that were not used, each with what is wrong.
	LeftOut []string

	from Place
	seen map[string]bool
}

// Each visits the folders of these names: those of the workspace, the nearer before the
// farther, then own of the configuration, those below home, and further ones. Found has
// their origin.
func (f *Finder) Each(w Where, project []string, own string, user []string, visit func(dir string, found Entry)) {
	f.seen = map[string]bool{}
	above := Above(w.Home, w.Workspace)
	f.from = Place{Root: above[0], Home: w.Home}
	for _, dir := range slices.Backward(above) {
		for _, name := range project {
			visit(filepath.Join(dir, filepath.FromSlash(name)), Entry{Origin: Project})
		}
	}
	f.from = Place{Home: w.Home}
	visit(filepath.Join(w.Config, own), Entry{Origin: User, Own: true})
	if w.Home != "" {
		for _, name := range user {
			visit(filepath.Join(w.Home, filepath.FromSlash(name)), Entry{Origin: User, Own: strings.HasPrefix(name, ".agents/")})
		}
	}
	for _, dir := range w.Further {
		visit(dir, Entry{Origin: User, Own: true})
	}
}

// Read hands a file to use, unless a link led to it before.
func (f *Finder) Read(file string, use func(text string) error) {
	text, err := f.from.Read(file, f.Limit)
	if err == nil {
		if f.seen[text.Real] {
			return
		}
		f.seen[text.Real] = true
		if text.Cut {
			err = fmt.Errorf("is longer than %d KiB", f.Limit>>10)
		} else {
			err = use(text.Text)
		}
	}
	if err != nil {
		f.LeftOut = append(f.LeftOut, file+": "+strings.TrimPrefix(err.Error(), file+": "))
	}
}

// Package protect knows which files deserve more care than others: what other
// programs run or obey later without being asked, and what holds keys. It is the one
// list of them, for edits, for reading, for what counts as looking, and for the
// sandbox (D-60). It uses names alone and opens nothing.
package protect

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"agent/internal/disk"
)

// Care is how careful one must be with a file.
type Care int

// The degrees of care.
const (
	// Free needs none.
	Free Care = iota
	// Asked is asked about wherever not everything is allowed.
	Asked
	// Guarded is asked about in every approval mode.
	Guarded
)

// Found is a protected file that a call is about.
type Found struct {
	// Path is the file, as it is shown.
	Path string
	// Name is what it is protected for, as the lists have it: ".github/workflows". A
	// rule that is to allow the call must name it.
	Name string
	Care Care
	// Why says in a few words what makes it special: "shells run it".
	Why string
	// Keys is set for a file that may hold keys. No mode sends its text without a question (D-121).
	Keys bool
	// Denied is set where a rule forbids it, whoever agrees.
	Denied bool
}

// Places are what is protected besides the lists. The zero value is usable.
type Places struct {
	// Home is the absolute home folder.
	Home string
	// Own are the absolute folders and files of the program itself: its
	// configuration, its sessions, its key file.
	Own []string
	// Denied are the absolute folders and files of the setting sandbox.deny-read.
	Denied []string
	// Open are absolute folders that may be read although they lie among what is
	// protected, such as those of skills. What the lists name in them needs care all the same.
	Open []string
	// Ruled says why a rule of the person or the repository is against reading a file, or changing
	// it, and whether the rule forbids that; nil and empty for none. The path is absolute, without
	// links.
	Ruled func(abs string, edit bool) (why string, denied bool)
	// Agreed reports whether the person agreed that a file runs or what it says; nil for
	// none. The path is absolute, without links.
	Agreed func(abs string) bool
	// GitRuns reports whether git would run or obey a file because its configuration names
	// it; nil for none. The path is absolute, without links.
	GitRuns func(abs string) bool
}

// Edit says how careful one must be to change a file. abs is its absolute path
// without links, rel its path in the workspace, which is shown. What lies in a
// repository's own folder counts as well.
func (p Places) Edit(abs, rel string) Found {
	if found := p.ruled(abs, rel, true); found.Care != Free {
		return found
	}
	if found := p.own(abs, rel); found.Care != Free {
		return found
	}
	if found := p.secret(abs, rel); found.Care == Guarded {
		return found
	}
	if p.Agreed != nil && p.Agreed(abs) {
		return Found{Path: rel, Name: rel, Care: Guarded, Why: "you agreed that it runs, as it is (agent trust)"}
	}
	if p.GitRuns != nil && p.GitRuns(abs) {
		return Found{Path: rel, Name: rel, Care: Guarded, Why: "git runs it, as its configuration says"}
	}
	if e, ok := within(rel, false); ok {
		return Found{Path: rel, Name: e.name, Care: e.care, Why: e.why}
	}
	return p.secret(abs, rel)
}

// Read says how careful one must be to read a file, see Edit.
func (p Places) Read(abs, rel string) Found {
	if found := p.ruled(abs, rel, false); found.Care != Free {
		return found
	}
	if slices.ContainsFunc(p.Open, func(folder string) bool { return disk.Within(abs, folder) }) {
		return Places{Denied: p.Denied}.Read(abs, rel)
	}
	if found := p.own(abs, rel); found.Care != Free {
		return found
	}
	return p.secret(abs, rel)
}

func (p Places) ruled(abs, rel string, edit bool) Found {
	if p.Ruled == nil {
		return Found{}
	}
	if why, denied := p.Ruled(abs, edit); why != "" {
		return Found{Path: rel, Name: rel, Care: Guarded, Why: why, Denied: denied}
	}
	return Found{}
}

func (p Places) own(abs, rel string) Found {
	for _, denied := range p.Denied {
		if disk.Within(abs, denied) {
			return Found{Path: rel, Name: filepath.Base(denied), Care: Guarded, Why: "the setting sandbox.deny-read names it"}
		}
	}
	for _, own := range p.Own {
		if own != "" && disk.Within(abs, own) {
			return Found{Path: rel, Name: filepath.Base(own), Care: Guarded, Why: "it is the agent's own: its configuration, keys or sessions"}
		}
	}
	return Found{}
}

func (p Places) secret(abs, rel string) Found {
	if isPublic(path.Base(fold(rel))) {
		return Found{}
	}
	if below, ok := strings.CutPrefix(abs, strings.TrimSuffix(p.Home, "/")+"/"); ok {
		below = fold(below)
		for i, name := range foldedHomeSecrets() {
			if disk.Within(below, name) {
				return Found{Path: rel, Name: homeSecrets[i], Care: Guarded, Why: "it may hold keys, passwords or what was typed", Keys: true}
			}
		}
	}
	if e, ok := within(rel, true); ok {
		return Found{Path: rel, Name: e.name, Care: e.care, Why: e.why, Keys: true}
	}
	return Found{}
}

// InGit reports whether a path lies in a folder .git, or is one of the files of that
// name that lead to a repository, however a file system may spell it.
func InGit(rel string) bool {
	return slices.ContainsFunc(strings.Split(fold(rel), "/"), func(name string) bool { return name == ".git" || name == "git~1" })
}

// Holds reports whether a folder holds the home folder, or is it: a program that works there
// works beside keys and beside what shells run.
func Holds(folder, home string) bool { return disk.Within(home, folder) }

// matches reports whether a component of a path matches a pattern of the lists: a word,
// or one with a star in it.
func matches(pattern, name string) bool {
	before, after, star := strings.Cut(pattern, "*")
	if !star {
		return pattern == name
	}
	return len(name) >= len(before)+len(after) && strings.HasPrefix(name, before) && strings.HasSuffix(name, after)
}

// fold is a path as the most forgiving file systems take it: in lower case, without
// characters that are not seen, without dots and blanks at the ends of names.
func fold(file string) string {
	if plain(file) {
		return file
	}
	parts := strings.Split(file, "/")
	for i, part := range parts {
		part = strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Cf, r) || unicode.IsControl(r) || unicode.Is(unicode.Variation_Selector, r) {
				return -1
			}
			return unicode.ToLower(r)
		}, part)
		if trimmed := strings.TrimRight(part, ". "); trimmed != "" {
			part = trimmed
		}
		part, _, _ = strings.Cut(part, ":") // a stream of a file
		parts[i] = part
	}
	return strings.Join(parts, "/")
}

// plain reports whether fold changes nothing.
func plain(file string) bool {
	for i := range len(file) {
		c := file[i]
		if c >= 0x7f || c <= ' ' || c >= 'A' && c <= 'Z' || c == ':' || c == '.' && (i+1 == len(file) || file[i+1] == '/') {
			return false
		}
	}
	return true
}

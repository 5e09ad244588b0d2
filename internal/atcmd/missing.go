package atcmd

import (
	"path"
	"slices"
	"strings"

	"agent/internal/base/suggest"
)

// A MissingError names the @paths of a message that do not exist. The message must not be sent.
type MissingError struct{ Missing []MissingPath }

// MissingPath is a path that does not exist.
type MissingPath struct {
	Path string
	// Nearest lists at most maxNearest paths that the user may have meant, best first.
	Nearest []string
}

func (e *MissingError) Error() string {
	var b strings.Builder
	b.WriteString("not sent: ")
	for i, m := range e.Missing {
		if i > 0 {
			b.WriteString(" and ")
		}
		b.WriteString("no file @" + m.Path)
		if len(m.Nearest) > 0 {
			b.WriteString(" (did you mean " + strings.Join(m.Nearest, " or ") + "?)")
		}
	}
	return b.String() + `. To write an @ that names no file, write \@`
}

// noteMissing records a path that does not exist. It returns false for a word that need not be a
// path of this workspace, such as @types/node or @click.argument. Such a word is neither quoted nor
// a pattern, begins with no folder of the workspace, and resembles no file.
func (e *expander) noteMissing(m mention) bool {
	if slices.ContainsFunc(e.missing, func(known MissingPath) bool { return known.Path == m.path }) {
		return true
	}
	near := nearestFiles(m.path, e.workspace.all())
	first, _, below := strings.Cut(m.path, "/")
	if !m.quoted && !isGlob(m.path) && len(near) == 0 && !(below && (first == "" || e.workspace.exists(first))) {
		return false
	}
	e.missing = append(e.missing, MissingPath{m.path, near})
	return true
}

// maxNearest limits the existing names that an error suggests for a missing one.
const maxNearest = 3

// nearestFiles returns the files whose base names are most similar to the base name of name. It
// finds misspellings and longer names. A file in the same folder precedes others.
func nearestFiles(name string, files []string) []string {
	byBase := map[string][]string{}
	var bases []string
	for _, file := range files {
		base := path.Base(file)
		if byBase[base] == nil {
			bases = append(bases, base)
		}
		byBase[base] = append(byBase[base], file)
	}
	folder := path.Dir(path.Clean(name))
	var near []string
	for _, base := range suggest.Similar(path.Base(name), bases, maxNearest) {
		same := byBase[base]
		if i := slices.Index(same, path.Join(folder, base)); i > 0 {
			same[0], same[i] = same[i], same[0]
		}
		near = append(near, same...)
	}
	return near[:min(maxNearest, len(near))]
}

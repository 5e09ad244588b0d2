package atcmd

import (
	"path"
	"slices"
	"strings"

	"agent/internal/nearest"
)

// MissingError says which @paths of a message name nothing. The message is not
// to be sent.
type MissingError struct{ Missing []Missing }

// Missing is one path that names nothing.
type Missing struct {
	Path string
	// Nearest are the paths the user may have meant, best first; at most
	// maxNearest.
	Nearest []string
}

func (e *MissingError) Error() string {
	var b strings.Builder
	b.WriteString("not sent, because there is ")
	for i, m := range e.Missing {
		if i > 0 {
			b.WriteString(" and ")
		}
		b.WriteString("no file @" + m.Path)
		if len(m.Nearest) > 0 {
			b.WriteString(" (did you mean " + strings.Join(m.Nearest, " or ") + "?)")
		}
	}
	return b.String() + `; write \@ for an @ that is not a file`
}

// missed collects the path-like words that name nothing.
func (e *expander) missed(m mention) {
	if slices.ContainsFunc(e.missing, func(known Missing) bool { return known.Path == m.path }) {
		return
	}
	e.missing = append(e.missing, Missing{m.path, nearestFiles(m.path, e.workspace.all())})
}

// maxNearest is how many names an error offers for one that is missing.
const maxNearest = 3

// nearestFiles returns those of files whose own names are most like that of name:
// misspellings, or longer names; the one in the same folder comes first.
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
	for _, base := range nearest.Of(path.Base(name), bases, maxNearest) {
		same := byBase[base]
		if i := slices.Index(same, path.Join(folder, base)); i > 0 {
			same[0], same[i] = same[i], same[0]
		}
		near = append(near, same...)
	}
	return near[:min(maxNearest, len(near))]
}

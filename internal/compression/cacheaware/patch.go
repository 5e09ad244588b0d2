package cacheaware

import "strings"

// patch reads the files and replacements of a patch in the format of apply_patch, also
// of one inside a command:
// headings "*** Update File: PATH", hunks begun by "@@", and lines that begin with
// a blank, "+" or "-".
func (f *fact) patch(text, root string) {
	var (
		at            string
		before, after []string
		updating      bool
	)
	flush := func() {
		if at != "" && len(before) > 0 {
			f.edits = append(f.edits, edit{path: at, before: strings.Join(before, "\n"), after: strings.Join(after, "\n")})
		}
		before, after = nil, nil
	}
	for line := range strings.SplitSeq(text, "\n") {
		if name, verb, ok := patchHeading(line); ok {
			flush()
			at, updating = resolvePath(root, name), verb == "Update"
			f.addPath(at)
			continue
		}
		switch {
		case strings.HasPrefix(line, "@@"):
			flush()
		case !updating || line == "":
		case line[0] == '-':
			before = append(before, line[1:])
		case line[0] == '+':
			after = append(after, line[1:])
		case line[0] == ' ':
			before, after = append(before, line[1:]), append(after, line[1:])
		}
	}
	flush()
}

func patchHeading(line string) (name, verb string, ok bool) {
	rest, ok := strings.CutPrefix(line, "*** ")
	if !ok {
		return "", "", false
	}
	for _, verb := range []string{"Update", "Add", "Delete"} {
		if name, ok := strings.CutPrefix(rest, verb+" File: "); ok {
			return strings.TrimSpace(name), verb, true
		}
	}
	return "", "", false
}

func (f *fact) addPath(path string) {
	for _, p := range f.paths {
		if p == path {
			return
		}
	}
	f.paths = append(f.paths, path)
}

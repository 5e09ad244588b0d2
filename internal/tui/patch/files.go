package patch

import (
	"strings"

	"agent/internal/tui/style"
	"agent/internal/words"
)

// File is what a patch does to one file.
type File struct {
	// Name is the file's path, or its new one.
	Name string
	// What says more than that lines changed: "new", "deleted", "renamed", "binary".
	What string
	// Diff is the file's part of the patch.
	Diff string
}

// Files takes the unified diff of several files apart, as git writes it.
func Files(patch string) []File {
	var files []File
	for _, part := range strings.Split("\n"+strings.TrimSpace(patch), "\ndiff --git ") {
		if strings.TrimSpace(part) != "" {
			files = append(files, readFile(part))
		}
	}
	return files
}

// readFile reads the headers of one file's diff.
func readFile(diff string) File {
	f := File{Diff: diff}
	for line := range strings.Lines(diff) {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(line, "@@") {
			break
		}
		if from, ok := strings.CutPrefix(line, "--- "); ok {
			f.name(from, "a/")
		} else if to, ok := strings.CutPrefix(line, "+++ "); ok {
			f.name(to, "b/")
		} else if to, ok := strings.CutPrefix(line, "rename to "); ok {
			f.Name, f.What = to, "renamed"
		} else if strings.HasPrefix(line, "new file") {
			f.What = "new"
		} else if strings.HasPrefix(line, "deleted file") {
			f.What = "deleted"
		} else if strings.HasPrefix(line, "Binary files") {
			f.What = style.Listed(f.What, "binary")
		}
	}
	if f.Name == "" { // a file without lines has none of these headers
		_, f.Name, _ = strings.Cut(words.FirstLine(diff), " b/")
	}
	f.Name = strings.TrimRight(f.Name, "\t")
	return f
}

// name takes a name from a header: git's are behind a/ and b/, those of our tools do
// not.
func (f *File) name(header, side string) {
	if header != "/dev/null" {
		f.Name = strings.TrimPrefix(header, side)
	}
}

// Title names the file and says what becomes of it.
func (f File) Title(t *style.Theme) string {
	what := f.What
	if added, removed := Stat(f.Diff); added+removed > 0 {
		what = style.Listed(what, StatText(f.Diff))
	}
	return t.Strong.Text(style.Reveal(f.Name).Text) + t.Dim.Text(" — "+what)
}

package patch

import (
	"strconv"
	"strings"

	"agent/internal/base/humanize"
	"agent/internal/text/textdiff"
	"agent/internal/tui/style"
)

// File is the part of a patch for one file.
type File struct {
	// Name is the path of the file. After a rename it is the new path.
	Name string
	// What is "new", "deleted", "renamed" or "binary", a list of these, or "" if only lines
	// changed.
	What string
	// Diff is the part of the patch that is about the file.
	Diff string
}

// Files divides a unified diff of several files, as git or a tool writes it.
func Files(diff string) (files []File) {
	for _, part := range textdiff.Split(diff) {
		if strings.TrimSpace(part) != "" {
			files = append(files, readFile(part))
		}
	}
	return files
}

// nowhere is the name in a diff for a file that does not exist.
const nowhere = "/dev/null"

// readFile parses the headers of one file's diff.
func readFile(diff string) File {
	f, was := File{Diff: diff}, ""
	headers, _, _ := strings.Cut("\n"+diff, "\n@@")
	for line := range strings.SplitSeq(headers, "\n") {
		if from, ok := strings.CutPrefix(line, "--- "); ok {
			was = f.name(from, "a/")
		} else if to, ok := strings.CutPrefix(line, "+++ "); ok {
			f.Name = f.name(to, "b/")
			switch {
			case f.Name == nowhere:
				f.Name, f.What = was, "deleted"
			case was == nowhere:
				f.What = "new"
			case was != f.Name && !f.ofGit(): // git has a header for renames; here it may be a copy
				f.What = "renamed"
			}
		} else if to, ok := strings.CutPrefix(line, "rename to "); ok {
			f.Name, f.What = to, "renamed"
		} else if strings.HasPrefix(line, "new file") {
			f.What = "new"
		} else if strings.HasPrefix(line, "deleted file") {
			f.What = "deleted"
		} else if strings.HasPrefix(line, "Binary files") {
			f.What = style.JoinComma(f.What, "binary")
		}
	}
	if f.Name == "" { // a file without lines has no such headers
		_, f.Name, _ = strings.Cut(humanize.FirstLine(diff), " b/")
	}
	return f
}

// ofGit reports whether the diff is in the format of git.
func (f *File) ofGit() bool { return strings.HasPrefix(f.Diff, "diff --git ") }

// name returns the name in a header, on one line. git adds a/ and b/ before names, also within quotes; our
// tools do not.
func (f *File) name(header, side string) string {
	if !f.ofGit() {
		return header
	}
	header = strings.TrimRight(header, "\t")
	if quoted, err := strconv.Unquote(header); err == nil {
		header = quoted
	}
	return humanize.FileName(strings.TrimPrefix(header, side))
}

// Title returns the name of the file and a summary of the change.
func (f File) Title(t *style.Theme) string { return f.title(t).String() }

func (f File) title(t *style.Theme) style.Spans {
	what := f.What
	if added, removed := textdiff.Stat(f.Diff); added+removed > 0 {
		what = style.JoinComma(what, StatText(f.Diff))
	}
	name := style.Reveal(f.Name)
	spans := style.Spans{{Text: name.Text, Style: t.Strong}}.Restyle(name.Marks, t.Mark)
	return append(spans, style.Span{Text: t.SpellSigns(" — " + what), Style: t.Dim})
}

package patch

import (
	"fmt"
	"strings"

	"agent/internal/tui/style"
)

// RenderAll shows the unified diff of several files, at most that many lines.
func RenderAll(t *style.Theme, diff string, most int) []string {
	if strings.TrimSpace(diff) == "" {
		return nil
	}
	var out []string
	for i, file := range strings.Split("\n"+strings.TrimSpace(diff), "\ndiff --git ") {
		if strings.TrimSpace(file) == "" {
			continue
		}
		if i > 1 {
			out = append(out, "")
		}
		out = append(out, patchTitle(t, file))
		out = append(out, style.IndentAll(Render(t, file, 0), "  ")...)
	}
	if more := len(out) - most; more > 0 {
		out = append(out[:most:most], t.Dim.Text("… "+style.Plural(more, "more line", "")))
	}
	return out
}

// patchTitle names a file of a patch and says what became of it.
func patchTitle(t *style.Theme, file string) string {
	name, what := "", ""
	for _, line := range strings.Split(file, "\n") {
		if strings.HasPrefix(line, "@@") {
			break
		}
		if from, ok := strings.CutPrefix(line, "--- a/"); ok {
			name = from
		} else if to, ok := strings.CutPrefix(line, "+++ b/"); ok {
			name = to
		} else if to, ok := strings.CutPrefix(line, "rename to "); ok {
			name, what = to, "renamed"
		} else if strings.HasPrefix(line, "new file") {
			what = "new"
		} else if strings.HasPrefix(line, "deleted file") {
			what = "deleted"
		} else if strings.HasPrefix(line, "Binary files") {
			what = style.Join(what, "binary")
		}
	}
	if name == "" { // a file without lines has none of these headers
		_, name, _ = strings.Cut(style.FirstLine(file), " b/")
	}
	if added, removed := Stat(file); added+removed > 0 {
		what = style.Join(what, fmt.Sprintf("+%d −%d", added, removed))
	}
	return t.Strong.Text(style.Clean(strings.TrimRight(name, "\t"))) + t.Dim.Text(" — "+what)
}

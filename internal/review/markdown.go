package review

import (
	"fmt"
	"strings"

	"agent/internal/base/humanize"
)

// Markdown returns the findings as Markdown for a user, the most severe first.
func (f Findings) Markdown() string {
	if len(f.Findings) == 0 {
		return "No findings."
	}
	var b strings.Builder
	for _, severity := range []string{"error", "warning", "note"} {
		for _, one := range f.Findings {
			if one.Severity != severity {
				continue
			}
			fmt.Fprintf(&b, "- **%s** `%s:%d`: %s", severity, strings.ReplaceAll(humanize.Line(one.File, 0), "`", "'"), one.Line, humanize.Line(one.Title, 0))
			if detail := humanize.Line(one.Detail, 0); detail != "" {
				b.WriteString(". " + detail)
			}
			b.WriteString("\n")
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

package share

import (
	"fmt"
	"strings"

	"agent/internal/history"
)

// Markdown returns a conversation as Markdown for people, in the order of the screen. It does not
// replace secrets.
func Markdown(c *Conversation) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n", c.Title, c.facts())
	agent := false
	for _, p := range c.tell(&cleaner{off: true}) {
		speaks := ""
		switch {
		case p.kind == said && p.begins:
			speaks, agent = "\n## You\n", false
		case (p.kind == answered || p.kind == did) && !agent && strings.TrimSpace(p.head+p.text) != "" && !strings.HasPrefix(p.head, "· "):
			speaks, agent = "\n## Agent\n", true
		}
		b.WriteString(speaks + "\n")
		switch p.kind {
		case said, answered:
			b.WriteString(strings.Trim(p.text, "\n") + "\n")
		case cleared:
			b.WriteString("---\n\n" + p.head + "\n")
		case did, left:
			b.WriteString(p.head + "\n")
			if diff := withoutHeads(p.diff); diff != "" {
				b.WriteString("\n" + history.CodeBlock(diff, "diff"))
			}
			if p.text != "" {
				b.WriteString("\n" + history.CodeBlock(p.text, ""))
			}
		}
	}
	return b.String()
}

// withoutHeads returns a diff without the heads of its hunks and without notes about missing line
// feeds. The line numbers in the heads are not those of the file.
func withoutHeads(diff string) string {
	var lines []string
	for line := range strings.SplitSeq(strings.TrimSuffix(diff, "\n"), "\n") {
		switch {
		case strings.HasPrefix(line, "@@") && len(lines) > 0:
			lines = append(lines, "⋯")
		case !strings.HasPrefix(line, "@@") && !strings.HasPrefix(line, `\ No newline`):
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

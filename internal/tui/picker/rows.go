package picker

import (
	"strings"

	"agent/internal/tui/style"
)

// Row is a line of a list: what is chosen, and what there is to say of it.
type Row struct {
	Name, Help string
	// InUse marks what is in force now.
	InUse bool
}

// Rows draws the part of a list around the selected row, which may be -1 for none, in
// at most room lines of width cells.
func Rows(t *style.Theme, rows []Row, selected, width, room int) []string {
	top := max(0, min(selected-room/2, len(rows)-room))
	shown := rows[top:min(len(rows), top+max(0, room))]
	column, most := 0, width-2
	for _, row := range shown {
		column = max(column, style.Width(style.Clean(row.Name)))
		if row.Help != "" || row.InUse {
			most = width / 2
		}
	}
	column = min(column, most)
	lines := make([]string, len(shown))
	for i, row := range shown {
		name := style.Truncate(style.Clean(row.Name), column)
		help := style.Truncate(style.Clean(row.Help), max(0, width-4-column))
		if row.InUse {
			name += strings.Repeat(" ", column-style.Width(name))
			help = style.Truncate("✓ "+help, max(0, width-4-column))
		} else if help != "" {
			name += strings.Repeat(" ", column-style.Width(name))
		}
		gap := ""
		if help != "" {
			gap = "  "
		}
		if top+i == selected {
			lines[i] = t.User.Text("▸ "+name) + gap + help
		} else {
			lines[i] = "  " + name + t.Dim.Text(gap+help)
		}
	}
	return lines
}

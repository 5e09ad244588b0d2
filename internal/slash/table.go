package slash

import "github.com/charmbracelet/x/ansi"

// cutLeft shortens text to width from its beginning: the end of a path says more.
func cutLeft(text string, width int) string {
	if over := ansi.StringWidth(text) - width; over > 0 {
		return ansi.TruncateLeft(text, over+1, "…")
	}
	return text
}

// cutRight shortens text to width at its end.
func cutRight(text string, width int) string { return ansi.Truncate(text, width, "…") }

package highlight

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"agent/internal/tui/style"
)

func TestHighlightPaintsCode(t *testing.T) {
	t.Parallel()
	theme := style.NewTheme(style.Colors16, style.Palettes[0])
	lines := Lines(theme, "func f() {\n\treturn \"x\" // y\n}", "go")
	if len(lines) != 3 || !strings.Contains(lines[0], theme.Keyword.Text("func")) || !strings.Contains(lines[1], theme.Literal.Text(`"x"`)) {
		t.Errorf("got %q", lines)
	}
	if got := ansi.Strip(strings.Join(lines, "\n")); got != "func f() {\n    return \"x\" // y\n}" {
		t.Errorf("the code changed: %q", got)
	}
	long := strings.Repeat("x := 1\n", maxHighlight)
	if got := Lines(theme, long, "go"); got[0] != "x := 1" {
		t.Errorf("a great deal of code was highlighted: %q", got[0])
	}
}

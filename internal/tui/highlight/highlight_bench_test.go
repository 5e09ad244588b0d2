package highlight

import (
	"agent/internal/tui/style"
	"strings"
	"testing"

	"github.com/muesli/termenv"
)

// BenchmarkHighlight is the largest block of code that is highlighted.
func BenchmarkHighlight(b *testing.B) {
	theme := style.NewTheme(termenv.ANSI, true)
	code := strings.Repeat("func f(x int) string { return fmt.Sprint(x) } // a comment\n", maxHighlight/59)
	b.SetBytes(int64(len(code)))
	for b.Loop() {
		Lines(theme, code, "go")
	}
}

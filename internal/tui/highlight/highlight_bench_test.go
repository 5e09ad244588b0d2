package highlight

import (
	"strings"
	"testing"

	"agent/internal/tui/style"
)

// BenchmarkHighlight measures the largest block of code that is highlighted.
func BenchmarkHighlight(b *testing.B) {
	theme := style.NewTheme(style.Colors16, style.Palettes[0])
	code := strings.Repeat("func f(x int) string { return fmt.Sprint(x) } // a comment\n", maxHighlight/59)
	b.SetBytes(int64(len(code)))
	for b.Loop() {
		Lines(theme, code, "go")
	}
}

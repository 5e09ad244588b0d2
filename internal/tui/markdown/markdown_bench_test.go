package markdown

import (
	"testing"

	"agent/internal/tui/style"
)

func BenchmarkMarkdown(b *testing.B) {
	md := New(style.NewTheme(style.Colors16, style.Palettes[0]))
	b.SetBytes(int64(len(sample)))
	for b.Loop() {
		md.Render(sample, 100)
	}
}

// sample contains every kind of block.
const sample = "# Findings\n\nThe **test** fails because `sum` starts at *one*. See [the docs](https://example.com/docs).\n\n" +
	"- first, with a text that is long enough to be wrapped in a window of sixty columns\n  - nested\n- second\n\n" +
	"```go\nfunc sum(xs []int) int {\n\treturn 0 // start\n}\n```\n\n" +
	"| setting | meaning | default |\n|---|---|---:|\n| compression.threshold | the share of the window at which compression begins | 0.85 |\n\n> quoted\n"

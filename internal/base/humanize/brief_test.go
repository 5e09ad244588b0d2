package humanize

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestBrief(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ give, want string }{
		"a line":       {"a  b", "a  b"},
		"blank lines":  {"\n\n a\n" + strings.Repeat(" \t\r\n", 500) + "b\r\r", " a\nb"},
		"as many":      {strings.Repeat("x\n", 8), strings.TrimSuffix(strings.Repeat("x\n", 8), "\n")},
		"more":         {strings.Repeat("x\n", 300), strings.Repeat("x\n", 7) + "… 293 more lines"},
		"wide":         {strings.Repeat("é", 601), strings.Repeat("é", 599) + "…"},
		"as wide":      {strings.Repeat("é", 600), strings.Repeat("é", 600)},
		"wide no UTF8": {strings.Repeat("\xff", 601), strings.Repeat("\xff", 599) + "…"},
		"nothing":      {"\n \n", ""},
	} {
		if got := Brief(c.give); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestBriefAgain(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{"\n", "\r", " ", "a", "é\t", "\xff", "\x1b[m", strings.Repeat("x", 400)}), 0, 60).Draw(t, "parts")
		got := Brief(strings.Join(parts, ""))
		if again := Brief(got); again != got {
			t.Errorf("%q, again %q", got, again)
		}
		rows := strings.Split(got, "\n")
		if len(rows) > briefLines {
			t.Errorf("%d rows", len(rows))
		}
		for _, row := range rows {
			if utf8.RuneCountInString(row) > briefWidth {
				t.Errorf("a row of %d characters", utf8.RuneCountInString(row))
			}
		}
	})
}

package indent

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func split(text string) []string { return strings.Split(text, "\n") }

// Shift follows the differences of the quoted lines, and refuses everything else.
func TestShift(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ quoted, actual, lines, want string }{
		"one tab less, one line deeper": {"if x {\n\ty()\n}", "\tif x {\n\t\ty()\n\t}", "if x {\n\tif z {\n\t\ty()\n\t}\n}", "\tif x {\n\t\tif z {\n\t\t\ty()\n\t\t}\n\t}"},
		"one tab more":                  {"\t\ta\n\t\t\tb", "\ta\n\t\tb", "\t\tc\n\t\t\t\td", "\tc\n\t\t\td"},
		"less than the prefix":          {"\t\ta", "\ta", "b\n\t\ta", "refused"},
		"blanks for tabs":               {"    a\n        b", "\ta\n\t\tb", "    a\n        b\n            c", "\ta\n\t\tb\n\t\t\tc"},
		"blanks for tabs, one line":     {"        b", "\t\tb", "        b {\n            c\n        }", "\t\tb {\n\t\t\tc\n\t\t}"},
		"tabs for blanks":               {"\ta\n\t\tb", "  a\n    b", "\ta\n\t\t\tc", "  a\n      c"},
		"two blanks for four":           {"a\n  b", "a\n    b", "a\n  b\n    c", "a\n    b\n        c"},
		"contradiction":                 {"\ta\n\tb", "\ta\n\t\tb", "\ta", "refused"},
		"the first line unindented":     {"a\n\t\tb", "\t\ta\n\t\tb", "c\n\t\td", "\t\tc\n\t\td"},
		"the first unindented, another": {"a\n\t\tb", "\t\ta\n\t\tb", "c\n\td", "refused"},
		"empty lines":                   {"a\n\n\tb", "\ta\n\n\t\tb", "a\n\n\n\tb", "\ta\n\n\n\t\tb"},
		"nothing but empty lines":       {"", "", "a", "refused"},
		"units at another depth":        {"    a\n        b", "a\n\tb", "    a\n        b\n            c", "a\n\tb\n\t\tc"},
		"mixed":                         {" \ta", "\ta", "  \tb", " \tb"},
	} {
		got, err := Shift(split(c.quoted), split(c.actual), split(c.lines))
		text := strings.Join(got, "\n")
		if err != nil {
			text = "refused"
		}
		if text != c.want {
			t.Errorf("%s: %q, want %q", name, text, c.want)
		}
	}
}

// For any unit and depth of the quoted text, Shift returns the new lines with the indentation of
// the file, or refuses.
func TestShiftIsRightOrRefused(t *testing.T) {
	t.Parallel()
	unit := rapid.SampledFrom([]string{"\t", "  ", "    ", "   "})
	rapid.Check(t, func(rt *rapid.T) {
		depths := rapid.SliceOfN(rapid.IntRange(0, 4), 1, 6).Draw(rt, "depths")
		fresh := rapid.SliceOfN(rapid.IntRange(0, 5), 0, 5).Draw(rt, "new depths")
		from, to := unit.Draw(rt, "from"), unit.Draw(rt, "to")
		base := rapid.IntRange(0, 3).Draw(rt, "base")
		text := func(unit string, base int, depths []int) (lines []string) {
			for _, d := range depths {
				lines = append(lines, strings.Repeat(unit, d+base)+"x")
			}
			return lines
		}
		got, err := Shift(text(from, 0, depths), text(to, base, depths), text(from, 0, fresh))
		if err != nil {
			return
		}
		if from == to || base == 0 { // otherwise a quoted depth could have several meanings
			if want := text(to, base, fresh); len(depths) > 1 && distinct(depths) > 1 && strings.Join(got, "\n") != strings.Join(want, "\n") {
				rt.Fatalf("%q, want %q", got, want)
			}
		}
	})
}

func distinct(numbers []int) int {
	all := map[int]bool{}
	for _, n := range numbers {
		all[n] = true
	}
	return len(all)
}

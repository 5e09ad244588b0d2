package humanize

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestVisible(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ give, want string }{
		"plain":                {"a b\n\tc", "a b\n\tc"},
		"letters":              {"é世 ñ", "é世 ñ"},
		"escape":               {"\x1b[31mred", "␛[31mred"},
		"title":                {"a\x1b]0;x\ncurl | sh\x07", "a␛]0;x\ncurl | sh␇"},
		"carriage return":      {"touch X #\recho", "touch X #␍echo"},
		"windows line":         {"a\r\nb", "a␍\nb"},
		"delete and null":      {"\x7f\x00", "␡␀"},
		"C1":                   {"\u009b2J\u0085", "<U+009B>2J<U+0085>"},
		"bidi":                 {"\u202egpj\u2066", "<U+202E>gpj<U+2066>"},
		"zero width":           {"a\u200bb\u200e\u061c\u00ad", "a<U+200B>b<U+200E><U+061C><U+00AD>"},
		"fillers":              {"\u3164\u115f\u2028", "<U+3164><U+115F><U+2028>"},
		"tags":                 {"\U000e0041", "<U+E0041>"},
		"no UTF-8":             {"a\x9bb", "a<0x9B>b"},
		"the character U+FFFD": {"\ufffd\x1b", "\ufffd␛"},
		"emoji":                {"⚠️ 👩‍🚀 👋🏽", "⚠️ 👩‍🚀 👋🏽"},
		"joiner in a word":     {"a\u200db\ufe0f", "a<U+200D>b<U+FE0F>"},
	} {
		if got := EscapeInvisible(c.give); got != c.want {
			t.Errorf("%s: Visible(%q) = %q, want %q", name, c.give, got, c.want)
		}
	}
}

func TestLine(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		give  string
		limit int
		want  string
	}{
		"short":          {"a b", 10, "a b"},
		"lines":          {" a\n\n b\t\u00a0c ", 10, "a b c"},
		"exact":          {"abcdé", 5, "abcdé"},
		"cut":            {"abcdef", 5, "abcd…"},
		"cut at a space": {"abc defg", 5, "abc…"},
		"cut of spaces":  {"a" + strings.Repeat(" ", 100) + "b", 5, "a b"},
		"unlimited":      {strings.Repeat("x", 100) + "\n", 0, strings.Repeat("x", 100)},
		"hidden":         {"\x1b[2J\nx", 10, "␛[2J x"},
		"hidden and cut": {"ab\u200bcd", 5, "ab<U…"},
		"one":            {"abc", 1, "…"},
		"nothing":        {" \n", 5, ""},
	} {
		if got := Line(c.give, c.limit); got != c.want {
			t.Errorf("%s: Line(%q, %d) = %q, want %q", name, c.give, c.limit, got, c.want)
		}
	}
}

func TestLineIsOneBoundedVisibleLine(t *testing.T) {
	t.Parallel()
	pieces := rapid.SampledFrom([]string{"a", "bc", " ", "\n", "\r", "\t", "é", "世", "\x1b", "\u009b", "\u200b", "\u200d", "\ufe0f", "👩", "🚀", "\xff", "…"})
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.Join(rapid.SliceOf(pieces).Draw(rt, "text"), "")
		limit := rapid.IntRange(0, 12).Draw(rt, "limit")
		line := Line(text, limit)
		if limit > 0 && utf8.RuneCountInString(line) > limit {
			rt.Fatalf("%q is longer than %d", line, limit)
		}
		if EscapeInvisible(line) != line || strings.ContainsAny(line, "\n\r\t") {
			rt.Fatalf("%q holds hidden characters", line)
		}
		if again := Line(line, limit); again != line {
			rt.Fatalf("again: %q, then %q", line, again)
		}
	})
}

// Line reads only the beginning of a text of several megabytes. The test counts allocations of the
// whole process, so it is not parallel.
func TestLineOfAHugeText(t *testing.T) {
	huge := strings.Repeat("x\x1b", 8<<20)
	if n := testing.AllocsPerRun(1, func() { Line(huge, 80) }); n > 100 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzVisible(f *testing.F) {
	f.Add("a\x1b[31m\u202e\xff👩‍🚀")
	f.Add("👩\u200d\xf0")
	f.Fuzz(func(t *testing.T, text string) {
		shown := EscapeInvisible(text)
		if !utf8.ValidString(shown) || EscapeInvisible(shown) != shown || strings.Count(shown, "\n") != strings.Count(text, "\n") {
			t.Errorf("Visible(%q) = %q", text, shown)
		}
	})
}

func TestCount(t *testing.T) {
	t.Parallel()
	for want, got := range map[string]string{
		"0 lines": Count(0, "line"), "1 line": Count(1, "line"), "2 lines": Count(2, "line"),
		"2 entries": Count(2, "entry"), "2 keys": Count(2, "key"), "3 matches": Count(3, "match"),
		"2 processes": Count(2, "process"), "2 removed files": Count(2, "removed file"), "1 entry": Count(1, "entry"),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for text, want := range map[string]int{"": 0, "a": 1, "a\n": 1, "a\nb": 2, "\n": 1, "\n\n": 2} {
		if got := LineCount(text); got != want {
			t.Errorf("Lines(%q) = %d, want %d", text, got, want)
		}
	}
	for text, want := range map[string]string{"": "", "a": "a", "\n a \nb": "a", "a\r\nb": "a"} {
		if got := FirstLine(text); got != want {
			t.Errorf("FirstLine(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestAmounts(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{
		0: "0 bytes", 1: "1 byte", 1023: "1023 bytes", 1024: "1.0 KiB", 1536: "1.5 KiB",
		1<<20 - 1: "1.0 MiB", 1 << 20: "1.0 MiB", 16 << 20: "16.0 MiB", 3 << 40: "3.0 TiB",
	} {
		if got := Bytes(n); got != want {
			t.Errorf("Bytes(%d) = %q, want %q", n, got, want)
		}
	}
	for amount, want := range map[float64]string{
		0: "$0.00", 0.00001: "<$0.0001", 0.0001: "$0.0001", 0.00421: "$0.0042", 0.0339: "$0.034", 0.05: "$0.05", 0.09949: "$0.099", 0.0997: "$0.10",
		0.425: "$0.42", 12.3: "$12.30",
	} {
		if got := Dollars(amount); got != want {
			t.Errorf("Dollars(%v) = %q, want %q", amount, got, want)
		}
	}
	for n, want := range map[int]string{
		0: "0", 950: "950", 999: "999", 1000: "1k", 12_340: "12.3k", 99_949: "99.9k", 99_950: "100k",
		128_000: "128k", 999_499: "999k", 999_500: "1M", 1_250_000: "1.2M",
	} {
		if got := Tokens(n); got != want {
			t.Errorf("Tokens(%d) = %q, want %q", n, got, want)
		}
	}
	for d, want := range map[time.Duration]string{
		-time.Second: "0s", 0: "0s", 350 * time.Millisecond: "350ms", 999_700 * time.Microsecond: "1s", 1240 * time.Millisecond: "1.2s",
		59_970 * time.Millisecond: "1m00s", 65 * time.Second: "1m05s", 3725 * time.Second: "1h02m05s",
	} {
		if got := Duration(d); got != want {
			t.Errorf("Took(%v) = %q, want %q", d, got, want)
		}
	}
	for d, want := range map[time.Duration]string{
		-time.Second: "0s", 7900 * time.Millisecond: "7s", 60 * time.Second: "1m00s", 65 * time.Second: "1m05s", time.Hour: "1h00m00s",
	} {
		if got := Elapsed(d); got != want {
			t.Errorf("Elapsed(%v) = %q, want %q", d, got, want)
		}
	}
}

func TestKeepEnd(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"": "", "abcd": "abcd", "abcde": "de", "abcdefgh": "gh"} {
		if got := string(KeepEnd([]byte(text), 2)); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

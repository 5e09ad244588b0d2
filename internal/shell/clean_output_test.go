package shell

import (
	"bytes"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// cleanOutput returns the cleaned output of a program that writes pieces of size bytes.
func cleanOutput(printed string, size int) string {
	var out bytes.Buffer
	c := &cleaner{to: &out}
	for len(printed) > 0 {
		n := min(size, len(printed))
		_, _ = c.Write([]byte(printed[:n]))
		printed = printed[n:]
	}
	c.flush()
	return out.String()
}

func TestCleanerLeavesPlainText(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ printed, want string }{
		"plain":          {"a\n\tb\n", "a\n\tb\n"},
		"no last line":   {"a\nb", "a\nb"},
		"colour":         {"\x1b[31mred\x1b[0m\n", "red\n"},
		"title":          {"\x1b]0;title\x07text\n", "text\n"},
		"hyperlink":      {"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\\n", "link\n"},
		"progress":       {"10%\r50%\r100%\ndone\n", "100%\ndone\n"},
		"erase line":     {"10%\x1b[2K\r20%\n", "20%\n"},
		"windows ends":   {"a\r\nb\r\n", "a\nb\n"},
		"overstrike":     {"N\bNA\bAM\bM\n", "NAM\n"},
		"bell and zero":  {"a\x07b\x00c\n", "abc\n"},
		"invalid UTF-8":  {"a\xffb\xc3\n", "a\uFFFDb\uFFFD\n"},
		"C1 controls":    {"a\u009b31mb\n", "a31mb\n"},
		"umlauts":        {"größe 你好\n", "größe 你好\n"},
		"only a return":  {"\r\n", "\n"},
		"return at end":  {"waiting\r", "waiting"},
		"cut sequence":   {"text\x1b[3", "text"},
		"very long line": {strings.Repeat("x", 300_000) + "\n", strings.Repeat("x", 300_000) + "\n"},
		"long progress":  {strings.Repeat("working \r", 100_000) + "done\n", "done\n"},
		"long coloured":  {strings.Repeat("\x1b[31mé\x1b[0m", 40_000), strings.Repeat("é", 40_000)},
	} {
		for _, size := range []int{1, 7, 4096, 1 << 20} {
			if got := cleanOutput(c.printed, size); got != c.want {
				t.Errorf("%s in pieces of %d: %.80q, want %.80q", name, size, got, c.want)
				break
			}
		}
	}
}

// The cleaned output is plain text and does not depend on how the output was split.
func TestCleanerDoesNotDependOnReads(t *testing.T) {
	t.Parallel()
	pieces := rapid.SampledFrom([]string{"a", "b c", "\n", "\r", "\x1b[31m", "\x1b", "\x1b]0;x\x07", "é", "\xff", "\b", "\t", "\x00", "\u009b"})
	rapid.Check(t, func(t *rapid.T) {
		printed := strings.Join(rapid.SliceOf(pieces).Draw(t, "printed"), "")
		whole := cleanOutput(printed, len(printed)+1)
		if again := cleanOutput(printed, rapid.IntRange(1, 9).Draw(t, "size")); again != whole {
			t.Fatalf("%q: %q in one piece, %q in several", printed, whole, again)
		}
		if !utf8.ValidString(whole) {
			t.Fatalf("%q: invalid UTF-8 in %q", printed, whole)
		}
		for _, r := range whole {
			if unicode.IsControl(r) && r != '\n' && r != '\t' {
				t.Fatalf("%q: a control character in %q", printed, whole)
			}
		}
	})
}

func FuzzCleaner(f *testing.F) {
	f.Add("a\x1b[31mb\r\nc\xff", 3)
	f.Fuzz(func(t *testing.T, printed string, size int) {
		if got := cleanOutput(printed, max(1, size%64)); !utf8.ValidString(got) || strings.ContainsAny(got, "\x00\x1b\r\b") {
			t.Fatalf("%q leaves %q", printed, got)
		}
	})
}

func BenchmarkCleanerPlain(b *testing.B) {
	block := []byte(strings.Repeat("a line of output, as long as lines are\n", 820))
	c := &cleaner{to: newOutput(64_000, nil, "", nil)}
	b.SetBytes(int64(len(block)))
	for b.Loop() {
		_, _ = c.Write(block)
	}
}

func BenchmarkCleanerColoured(b *testing.B) {
	block := []byte(strings.Repeat("a \x1b[31mline\x1b[0m of output, as long as lines are\n", 820))
	c := &cleaner{to: newOutput(64_000, nil, "", nil)}
	b.SetBytes(int64(len(block)))
	for b.Loop() {
		_, _ = c.Write(block)
	}
}

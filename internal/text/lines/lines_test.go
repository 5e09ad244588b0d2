package lines

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestSplitAndAt(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{"a", "é", "\n", "\r\n"})).Draw(t, "text"), "")
		split := Split(text)
		if strings.Join(split, "") != text {
			t.Fatalf("%q of %q", split, text)
		}
		offset := 0
		for i, line := range split {
			if LineNumber(text, offset) != i+1 {
				t.Fatalf("offset %d of %q is in line %d, not %d", offset, text, i+1, LineNumber(text, offset))
			}
			offset += len(line)
		}
	})
}

func TestNumber(t *testing.T) {
	t.Parallel()
	if got := AddNumbers([]string{"a\n", "\tb"}, 9); got != " 9|a\n10|\tb\n" {
		t.Errorf("%q", got)
	}
}

func TestAppend(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"": "x", "a": "a\nx", "a\n": "a\nx"} {
		if got := Append(text, "x"); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

// A cut text is within its limit, breaks no character, and names the amount that is missing.
func TestCutAndHead(t *testing.T) {
	t.Parallel()
	if got := Cut("ééé", 3); got != "é… [4 more bytes of this line]" {
		t.Errorf("%q", got)
	}
	if got := Head("one\ntwo\nthree\nfour", 9); got != "one\ntwo\n[2 more lines]" {
		t.Errorf("%q", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		limit := rapid.IntRange(0, 50).Draw(t, "limit")
		kept, _, cut := strings.Cut(Cut(text, limit), "… [")
		if cut && len(kept) > limit || !cut && kept != text || !utf8.ValidString(kept) {
			t.Fatalf("%q cut at %d is %q", text, limit, kept)
		}
	})
}

func TestJoinAndNumbers(t *testing.T) {
	t.Parallel()
	if got := Join(nil) + Join([]string{"a", "b"}); got != "a\nb\n" {
		t.Errorf("%q", got)
	}
	many := make([]int, mostNumbers+1)
	for numbers, want := range map[*[]int]string{{3}: "line 3", {3, 5}: "lines 3, 5"} {
		if got := Numbers(*numbers); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := Numbers(many); strings.Count(got, "0") != mostNumbers || !strings.HasSuffix(got, ", …") || strings.Contains(Numbers(many[1:]), "…") {
		t.Errorf("%q", got)
	}
}

// A line above the limit is cut after its start, and the next line is read completely.
func TestRead(t *testing.T) {
	t.Parallel()
	const most = 2000
	long := strings.Repeat("x", most)
	in := bufio.NewReaderSize(strings.NewReader("a\n"+long[1:]+"\n"+long+"\nb\n"+long+long+"\nend"), 16)
	for _, want := range []struct {
		line  string
		whole bool
		err   error
	}{
		{"a\n", true, nil}, {long[1:] + "\n", true, nil}, {long[:beginning], false, nil}, {"b\n", true, nil}, {long[:beginning], false, nil}, {"end", true, io.EOF},
	} {
		line, whole, err := Read(in, nil, most)
		if string(line) != want.line || whole != want.whole || !errors.Is(err, want.err) {
			t.Errorf("%d bytes, whole %t, %v; want %d, %t", len(line), whole, err, len(want.line), want.whole)
		}
	}
}

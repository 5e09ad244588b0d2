package term

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"agent/internal/testing/vt"
)

// lineText draws lines like those of the model, without control characters.
func lineText(width int) *rapid.Generator[string] {
	return rapid.Map(rapid.StringOfN(rapid.SampledFrom([]rune("ab 日\u00e9")), 0, width/2, -1), func(s string) string {
		return strings.TrimRight(s, " ")
	})
}

// Printed lines are on the terminal once and in order, with the live area below them, whatever was
// on the screen before.
func TestScreenShowsPostedFrames(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		width, height := rapid.IntRange(10, 40).Draw(t, "width"), rapid.IntRange(3, 12).Draw(t, "height")
		terminal := vt.New(width, height)
		s := &Screen{out: terminal, wake: make(chan struct{}, 1)}
		var printed []string
		for i := range rapid.IntRange(1, 12).Draw(t, "frames") {
			f := Frame{Width: width}
			f.Live = rapid.SliceOfN(lineText(width), 1, height-1).Draw(t, "live")
			f.Row = rapid.IntRange(0, len(f.Live)-1).Draw(t, "row")
			f.Col = rapid.IntRange(0, width-1).Draw(t, "col")
			if rapid.Bool().Draw(t, "prints") {
				for j := range rapid.IntRange(1, 2*height).Draw(t, "lines") {
					f.Printed = append(f.Printed, fmt.Sprint(i, ".", j))
				}
				printed = append(printed, f.Printed...)
			}
			s.Post(f)
			if rapid.Bool().Draw(t, "conflated") && i > 0 {
				continue
			}
			s.Flush()
			if diff := cmp.Diff(trimmed(append(slices.Clone(printed), f.Live...)), terminal.Lines()); diff != "" {
				t.Fatalf("terminal (-want +got):\n%s", diff)
			}
			if at := terminal.Row - len(printed); at != f.Row || terminal.Col != f.Col {
				t.Fatalf("cursor at %d, %d, want %d, %d", at, terminal.Col, f.Row, f.Col)
			}
		}
	})
}

// trimmed removes blank lines at the end.
func trimmed(lines []string) []string {
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return append([]string{}, lines...)
}

// However the window was resized, after a reset the terminal contains the printed lines once, and
// the live area.
func TestScreenResetLeavesNoGhosts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		width, height := rapid.IntRange(20, 60).Draw(t, "width"), rapid.IntRange(4, 12).Draw(t, "height")
		terminal := vt.New(width, height)
		s := &Screen{out: terminal, wake: make(chan struct{}, 1)}
		var printed []string
		for i := range 4 {
			more := []string{fmt.Sprint("one ", i), fmt.Sprint("two ", i)}
			printed = append(printed, more...)
			live := rapid.SliceOfN(lineText(20), 1, 3).Draw(t, "live")
			s.Post(Frame{Printed: more, Live: live, Row: len(live) - 1, Width: width})
			s.Flush()
			width, height = rapid.IntRange(20, 60).Draw(t, "new width"), rapid.IntRange(4, 12).Draw(t, "new height")
			terminal.Resize(width, height)
		}
		s.Post(Frame{Reset: true, Printed: printed, Live: []string{"the last"}, Width: width})
		s.Flush()
		if diff := cmp.Diff(append(printed, "the last"), terminal.Lines()); diff != "" {
			t.Fatalf("terminal (-want +got):\n%s", diff)
		}
	})
}

// A frame for another width than the window's waits for a matching frame, and its printed lines are
// not lost.
func TestScreenWaitsForAFrameThatFits(t *testing.T) {
	t.Parallel()
	terminal := vt.New(20, 10)
	s := &Screen{out: terminal, wake: make(chan struct{}, 1), size: func() (int, int) { return 20, 10 }}
	s.Post(Frame{Printed: []string{"one"}, Live: []string{"too wide"}, Width: 30, Height: 10})
	s.Flush()
	if lines := terminal.Lines(); len(lines) > 0 {
		t.Fatalf("painted %q", lines)
	}
	s.Post(Frame{Printed: []string{"two"}, Live: []string{"> x"}, Width: 20, Height: 10})
	s.Flush()
	if diff := cmp.Diff([]string{"one", "two", "> x"}, terminal.Lines()); diff != "" {
		t.Error(diff)
	}
}

// A page covers the window. Lines that were printed meanwhile are visible afterwards.
func TestScreenPage(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	s := &Screen{out: &out, wake: make(chan struct{}, 1)}
	s.Post(Frame{Live: []string{"> "}, Width: 20})
	s.Flush()
	s.Post(Frame{Full: []string{"page 1", "end"}, Live: []string{"> "}, Width: 20})
	s.Flush()
	s.Post(Frame{Full: []string{"page 2", "end"}, Printed: []string{"meanwhile"}, Live: []string{"> "}, Width: 20})
	s.Flush()
	if got := out.String(); strings.Contains(got, "meanwhile") || strings.Count(got, "end") != 1 || strings.Count(got, "\x1b[?1049h") != 1 {
		t.Fatalf("wrote %q", got)
	}
	out.Reset()
	// If the window was lower for a short time, it has lost the row "end", and no row has recorded
	// that.
	if got := s.MaxHeight(Frame{}.At); got != 2 {
		t.Errorf("a page of two rows counts as %d", got)
	}
	s.Post(Frame{Full: []string{"page 2", "end"}, Printed: []string{"meanwhile"}, Live: []string{"> "}, Width: 20, Reset: true})
	s.Flush()
	if got := out.String(); strings.Count(got, "page 2") != 1 || strings.Count(got, "end") != 1 {
		t.Errorf("after a change of size it wrote %q", got)
	}
	out.Reset()
	s.Post(Frame{Live: []string{"> "}, Width: 20})
	s.Flush()
	if got := out.String(); !strings.Contains(got, "\x1b[?1049l") || !strings.Contains(got, "meanwhile") || strings.Contains(got, "page") {
		t.Errorf("wrote %q", got)
	}
}

// A frame without changes writes nothing.
func TestScreenWritesNothingForNothing(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	s := &Screen{out: &out, wake: make(chan struct{}, 1)}
	f := Frame{Live: []string{"a", "b"}, Row: 1, Col: 1, Width: 20}
	s.Post(f)
	s.Flush()
	out.Reset()
	s.Post(f)
	s.Flush()
	if out.Len() > 0 {
		t.Errorf("wrote %q", out.String())
	}
}

func TestScreenPutsTheCursorBelowPrintedLines(t *testing.T) {
	t.Parallel()
	terminal := vt.New(20, 10)
	s := NewScreen(terminal, nil)
	s.Post(Frame{Printed: []string{"one", "two"}, Live: []string{"", "> x", "status"}, Row: 1, Col: 3, Width: 20})
	s.Post(Frame{Printed: []string{"three"}, Live: []string{"> y", "status"}, Width: 20})
	s.Close()
	if diff := cmp.Diff([]string{"one", "two", "three"}, terminal.Lines()); diff != "" {
		t.Errorf("terminal (-want +got):\n%s", diff)
	}
	if terminal.Row != 3 || terminal.Col != 0 {
		t.Errorf("cursor at %d, %d", terminal.Row, terminal.Col)
	}
}

// If a key changes one line, only that line is written.
func TestScreenWritesOnlyChangedLines(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	s := &Screen{out: &out, wake: make(chan struct{}, 1)}
	live := []string{"the tail of a reply", "> ", "status"}
	s.Post(Frame{Live: live, Width: 40})
	s.Flush()
	out.Reset()
	s.Post(Frame{Live: []string{live[0], "> x", live[2]}, Row: 1, Col: 3, Width: 40})
	s.Flush()
	got := out.String()
	if strings.Contains(got, "tail") || strings.Contains(got, "status") || !strings.Contains(got, "> x") {
		t.Errorf("wrote %q", got)
	}
	if !strings.HasPrefix(got, "\x1b[?2026h") || !strings.HasSuffix(got, "\x1b[?2026l") {
		t.Errorf("the frame is not one synchronised update: %q", got)
	}
}

// The terminal shows every character of a row as text, in the scrollback, in the live area and on a
// page that covers both.
func TestScreenObeysNoText(t *testing.T) {
	t.Parallel()
	const raw, seen = "a\x1b]52;c;UFdO\x07\u202e\x1b[31mb\x1b[m", "a␛]52;c;UFdO␇<U+202E>\x1b[31mb\x1b[m"
	for name, f := range map[string]Frame{
		"printed": {Printed: []string{raw}, Live: []string{""}},
		"live":    {Live: []string{"", raw}},
		"page":    {Full: []string{raw}},
	} {
		f.Width = 200
		var out strings.Builder
		s := &Screen{out: &out, wake: make(chan struct{}, 1)}
		s.Post(f)
		s.Flush()
		if got := out.String(); !strings.Contains(got, seen) || strings.Contains(got, "]52;c;UFdO\x07") {
			t.Errorf("%s: %q", name, got)
		}
	}
	if got := TitleSequence("a\x1b\\\x07b"); got != "\x1b]2;a␛\\␇b\x1b\\" {
		t.Errorf("title %q", got)
	}
}

package tui

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// lineText are lines as the model makes them: no control characters.
func lineText(width int) *rapid.Generator[string] {
	return rapid.Map(rapid.StringOfN(rapid.SampledFrom([]rune("ab 日\u00e9")), 0, width/2, -1), func(s string) string {
		return strings.TrimRight(s, " ")
	})
}

// What is printed is on the terminal once, in order, with the live part below it,
// whatever came before.
func TestScreenShowsWhatWasPosted(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		width, height := rapid.IntRange(10, 40).Draw(t, "width"), rapid.IntRange(3, 12).Draw(t, "height")
		terminal := newVT(width, height)
		s := &screen{out: terminal, wake: make(chan struct{}, 1)}
		var printed []string
		for i := range rapid.IntRange(1, 12).Draw(t, "frames") {
			f := frame{width: width}
			f.live = rapid.SliceOfN(lineText(width), 1, height-1).Draw(t, "live")
			f.row = rapid.IntRange(0, len(f.live)-1).Draw(t, "row")
			f.col = rapid.IntRange(0, width-1).Draw(t, "col")
			if rapid.Bool().Draw(t, "prints") {
				for j := range rapid.IntRange(1, 2*height).Draw(t, "lines") {
					f.printed = append(f.printed, fmt.Sprint(i, ".", j))
				}
				printed = append(printed, f.printed...)
			}
			s.post(f)
			if rapid.Bool().Draw(t, "conflated") && i > 0 {
				continue
			}
			s.flush()
			if diff := cmp.Diff(append(slices.Clone(printed), f.live...), terminal.lines()); diff != "" {
				t.Fatalf("terminal (-want +got):\n%s", diff)
			}
			if at := terminal.row - len(printed); at != f.row || terminal.col != f.col {
				t.Fatalf("cursor at %d, %d, want %d, %d", at, terminal.col, f.row, f.col)
			}
		}
	})
}

// A window made narrower or wider leaves no ghosts of the live part.
func TestScreenResizesWithoutGhosts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.IntRange(20, 60).Draw(t, "width")
		terminal := newVT(width, 40)
		s := &screen{out: terminal, wake: make(chan struct{}, 1)}
		for range 3 {
			live := rapid.SliceOfN(lineText(width), 1, 6).Draw(t, "live")
			row := rapid.IntRange(0, len(live)-1).Draw(t, "row")
			s.post(frame{live: live, row: row, col: textWidth(live[row]), width: width})
			s.flush()
			width = rapid.IntRange(20, 60).Draw(t, "new width")
			terminal.resize(width, 40)
		}
		live := []string{"the last"}
		s.post(frame{live: live, width: width})
		s.flush()
		if diff := cmp.Diff(live, terminal.lines()); diff != "" {
			t.Fatalf("terminal (-want +got):\n%s", diff)
		}
	})
}

func TestScreenLeavesTheCursorBelowWhatWasPrinted(t *testing.T) {
	t.Parallel()
	terminal := newVT(20, 10)
	s := newScreen(terminal)
	s.post(frame{printed: []string{"one", "two"}, live: []string{"", "> x", "status"}, row: 1, col: 3, width: 20})
	s.post(frame{printed: []string{"three"}, live: []string{"> y", "status"}, width: 20})
	s.close()
	if diff := cmp.Diff([]string{"one", "two", "three", ""}, terminal.lines()); diff != "" {
		t.Errorf("terminal (-want +got):\n%s", diff)
	}
	if terminal.row != 3 || terminal.col != 0 {
		t.Errorf("cursor at %d, %d", terminal.row, terminal.col)
	}
}

// A key changes one line: the others are not written again.
func TestScreenWritesOnlyWhatChanged(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	s := &screen{out: &out, wake: make(chan struct{}, 1)}
	live := []string{"the tail of a reply", "> ", "status"}
	s.post(frame{live: live, width: 40})
	s.flush()
	out.Reset()
	s.post(frame{live: []string{live[0], "> x", live[2]}, row: 1, col: 3, width: 40})
	s.flush()
	got := out.String()
	if strings.Contains(got, "tail") || strings.Contains(got, "status") || !strings.Contains(got, "> x") {
		t.Errorf("wrote %q", got)
	}
	if !strings.HasPrefix(got, "\x1b[?2026h") || !strings.HasSuffix(got, "\x1b[?2026l") {
		t.Errorf("the frame is not one synchronised update: %q", got)
	}
}

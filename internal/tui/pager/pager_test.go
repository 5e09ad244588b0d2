package pager

import (
	"fmt"
	"strings"
	"testing"

	"agent/internal/tui/style"
	"agent/internal/tui/term"
	"agent/internal/tui/transcript"
)

func numbered(n int) transcript.Layout {
	var rows []string
	for i := range n {
		rows = append(rows, fmt.Sprintf("line %d", i+1))
	}
	return transcript.Rows(rows...)
}

// The page that the user reads stays visible while other pages are added and removed.
func TestPagesComeAndGo(t *testing.T) {
	t.Parallel()
	page := func(key string) Page { return Page{Key: key, Title: key, Layout: numbered(1)} }
	pages := []Page{page("agent a"), page("agent b"), page("output 1")}
	p, theme := Open(func() []Page { return pages }), style.NewTheme(style.NoColors, style.Palettes[0])
	look := func(want string) {
		t.Helper()
		if rows := p.View(theme, 60, 10); !strings.HasPrefix(rows[9], " "+want+" ") {
			t.Errorf("the line is %q, want %q", rows[9], want)
		}
	}
	look("agent a")
	pages = []Page{page("agent b"), page("agent a"), page("output 1")} // agent a has ended
	look("agent a")
	p.Key(term.Key{Name: "right"})
	look("output 1")
	pages = append([]Page{page("output 2")}, pages...)
	p.Key(term.Key{Name: "left"})
	look("agent a")
	pages = pages[:1]
	look("output 2")
}

// The pager has the keys of less.
func TestPagerKeys(t *testing.T) {
	t.Parallel()
	pages := []Page{{Title: "one", Layout: numbered(100)}, {Title: "two", Layout: numbered(3)}}
	theme := style.NewTheme(style.NoColors, style.Palettes[0])
	for _, tt := range []struct {
		keys, first, status string
		closed              bool
	}{
		{"", "line 1", "one · 1–9 of 100 · ←→ 1 of 2", false},
		{"j j", "line 3", "3–11", false},
		{"down up down", "line 2", "", false},
		{"pgdown", "line 9", "", false},
		{"f b", "line 1", "", false},
		{"G", "line 92", "92–100", false},
		{"end home", "line 1", "", false},
		{"G g k", "line 1", "", false},
		{"right", "line 1", "two · all · ←→ 2 of 2", false},
		{"left", "line 1", "two", false},
		{"/ 5 7 enter", "line 57", "", false},
		{"/ l i n e enter n n N", "line 3", "", false},
		{"/ 5 7 enter", "line 57", "match 1 of 1", false},
		{"/ 2 enter n n", "line 20", "match 3 of 20", false},
		{"/ 3 enter N", "line 1", "two · all · ←→ 2 of 2 · match 20 of 20", false},
		{"/ 3 enter N n", "line 3", "one · 3–11 of 100 · ←→ 1 of 2 · match 1 of 20", false},
		{"/ 1 0 0 enter n", "line 92", "match 1 of 1", false},
		{"/ x enter", "line 1", "no matches", false},
		{"/ 5 7 enter j", "line 58", "1 of 2 · q back", false},
		{"/ x backspace 4 0 enter", "line 40", "", false},
		{"q", "line 1", "", true},
		{"esc", "line 1", "", true},
	} {
		p := Open(func() []Page { return pages })
		p.View(theme, 60, 10)
		closed := false
		for _, name := range strings.Fields(tt.keys) {
			k := term.Key{Name: name}
			if len(name) == 1 {
				k.Text = name
			}
			closed = p.Key(k)
			p.View(theme, 60, 10)
		}
		rows := p.View(theme, 60, 10)
		if rows[0] != tt.first || !strings.Contains(rows[len(rows)-1], tt.status) || closed != tt.closed || len(rows) != 10 {
			t.Errorf("after %q: first %q, status %q, closed %v, %d rows", tt.keys, rows[0], rows[len(rows)-1], closed, len(rows))
		}
	}
}

// For a single page, the pager does not show the key for the next page. It shows the key when a
// second page is added.
func TestASinglePageOffersNoOther(t *testing.T) {
	t.Parallel()
	pages := []Page{{Title: "one", Layout: numbered(3)}}
	theme := style.NewTheme(style.NoColors, style.Palettes[0])
	p := Open(func() []Page { return pages })
	p.View(theme, 60, 10)
	p.Key(term.Key{Name: "right"})
	if got, want := p.View(theme, 60, 10)[9], " one · all · q back · / find"; got != want {
		t.Errorf("the line is %q, want %q", got, want)
	}
	pages = append(pages, Page{Title: "two", Layout: numbered(3)})
	if got := p.View(theme, 60, 10)[9]; !strings.Contains(got, "←→ 1 of 2") {
		t.Errorf("with another page the line is %q", got)
	}
}

// The keys are visible after a long title, and before them a note about a waiting question.
func TestTheKeysAreSeen(t *testing.T) {
	t.Parallel()
	theme := style.NewTheme(style.NoColors, style.Palettes[0])
	pages := []Page{{Title: "ran " + strings.Repeat("a long command ", 20), Layout: numbered(300)}}
	p := Open(func() []Page { return pages })
	if got := p.View(theme, 60, 10)[9]; !strings.HasPrefix(got, " ran a long") || !strings.HasSuffix(got, "1–9 of 300 · q back · / find") {
		t.Errorf("the line is %q", got)
	}
	p.Waits = "a question waits"
	if got := p.View(theme, 60, 10)[9]; !strings.HasSuffix(got, "a question waits: q goes to it") {
		t.Errorf("while a question waits the line is %q", got)
	}
}

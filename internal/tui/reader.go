package tui

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"agent/internal/base/humanize"
	"agent/internal/tui/pager"
	"agent/internal/tui/patch"
	"agent/internal/tui/style"
	"agent/internal/tui/term"
	"agent/internal/tui/transcript"
)

// reader holds the pager that covers the whole screen, for outputs, changes or a whole question.
type reader struct {
	surface *surface
	// pager is nil while it is closed. covered is the time at which it was opened.
	pager   *pager.Pager
	covered time.Time
	// asked is the ID of the question in the pager, or 0 for none.
	asked int
}

// readerKey passes a key to the pager. It returns false if the pager is closed.
func (m *Model) readerKey(k term.Key) (tea.Cmd, bool) {
	r := &m.reader
	if r.pager == nil {
		return nil, false
	}
	if r.pager.Key(k) {
		r.pager, r.asked = nil, 0
		m.questions.Uncover(r.covered, m.surface.now())
	}
	return nil, true
}

// openPages opens the pager over everything else.
func (r *reader) openPages(pages func() []pager.Page) {
	r.pager, r.covered = pager.Open(pages), r.surface.now()
}

func (r *reader) openPage(title string, lay transcript.Layout) {
	page := pager.Page{Title: title, Layout: lay}
	r.openPages(func() []pager.Page { return []pager.Page{page} })
}

// openDiff opens a patch at its first file. There is a page for each file, below its name. If there are
// several files, a last page lists them.
func (r *reader) openDiff(title, diff string) {
	files := patch.Files(diff)
	var pages []pager.Page
	for _, f := range files {
		pages = append(pages, pager.Page{Title: style.Reveal(f.Name).Text, Layout: func(t *style.Theme, width int) []string {
			return append([]string{style.Truncate(f.Title(t), width), ""}, patch.Render(t, f.Diff, width)...)
		}})
	}
	if len(files) != 1 {
		pages = append(pages, pager.Page{Title: title, Layout: func(t *style.Theme, _ int) []string {
			rows := []string{humanize.Count(len(files), "file") + " changed", ""}
			for _, f := range files {
				rows = append(rows, "  "+f.Title(t))
			}
			return rows
		}})
	}
	r.openPages(func() []pager.Page { return pages })
}

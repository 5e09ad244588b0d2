package tui

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"agent/internal/tui/pager"
	"agent/internal/tui/patch"
	"agent/internal/tui/style"
	"agent/internal/tui/term"
	"agent/internal/tui/transcript"
	"agent/internal/words"
)

// reader is what is read over everything else: outputs, changes, all of a question.
type reader struct {
	*surface
	// pager is open while it is not nil, and covers the screen since covered.
	pager   *pager.Pager
	covered time.Time
	// asked is the question that is read, 0 for none.
	asked int
}

// readerKey gives a key to what is read. It reports false when nothing is.
func (m *Model) readerKey(k term.Key) (tea.Cmd, bool) {
	r := &m.reader
	if r.pager == nil {
		return nil, false
	}
	if r.pager.Key(k) {
		r.pager, r.asked = nil, 0
		m.questions.Uncover(r.covered, m.opts.Now())
	}
	return nil, true
}

// openPages opens the pager, which covers everything else.
func (r *reader) openPages(pages func() []pager.Page) {
	r.pager, r.covered = pager.Open(pages), r.opts.Now()
}

// openPage opens one thing to read.
func (r *reader) openPage(title string, lay transcript.Lay) {
	page := pager.Page{Title: title, Lay: lay}
	r.openPages(func() []pager.Page { return []pager.Page{page} })
}

// openDiff opens a patch: what it does to which file, then a page a file. A single file
// is all there is to see.
func (r *reader) openDiff(title, diff string) {
	files := patch.Files(diff)
	var pages []pager.Page
	if len(files) != 1 {
		pages = append(pages, pager.Page{Title: title, Lay: func(t *style.Theme, _ int) []string {
			rows := []string{words.Count(len(files), "file") + " changed, → goes through them", ""}
			for _, f := range files {
				rows = append(rows, "  "+f.Title(t))
			}
			return rows
		}})
	}
	for _, f := range files {
		pages = append(pages, pager.Page{Title: style.Reveal(f.Name).Text, Lay: func(t *style.Theme, width int) []string {
			return patch.Render(t, f.Diff, width)
		}})
	}
	r.openPages(func() []pager.Page { return pages })
}

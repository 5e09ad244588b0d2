package tui

import (
	"io"
	"os"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"agent/internal/tui/markdown"
	"agent/internal/tui/pager"
	"agent/internal/tui/patch"
	"agent/internal/tui/style"
	"agent/internal/tui/term"
	"agent/internal/tui/transcript"
	"agent/internal/words"
)

// outputBytes bounds what is read of the file of a long output.
const outputBytes = 4 << 20

// output is a result, or reasoning, that can be opened.
type output struct {
	title, text, diff, spool string
	// prose is text that is wrapped between words.
	prose bool
}

// outputsKept is how many results can be opened.
const outputsKept = 30

// outputs are the latest results, oldest first.
type outputs []output

func (o *outputs) add(result output) {
	if len(*o) == outputsKept {
		*o = (*o)[1:]
	}
	*o = append(*o, result)
}

// outputMsg brings lines to print.
type outputMsg []string

// spoolMsg brings all of an output that was too long to be kept.
type spoolMsg struct{ spool, text string }

// openOutputs opens the outputs of the session, the newest first, what runs before
// them; what was said before it was taken up again comes last.
func (m *Model) openOutputs() tea.Cmd {
	if len(m.outputs)+len(m.tools)+len(m.earlier) == 0 {
		m.showHint("there is no tool output yet", false)
		return nil
	}
	m.openPages(m.outputPages)
	return m.readSpools()
}

// outputPages are the outputs as pages.
func (m *Model) outputPages() []pager.Page {
	var pages []pager.Page
	for _, tool := range m.tools {
		text := string(tool.output)
		pages = append(pages, pager.Page{Title: tool.words.running(), Grows: true, Lay: func(*style.Theme, int) []string { return outputLines(text) }})
	}
	for i := len(m.outputs) - 1; i >= 0; i-- {
		pages = append(pages, m.outputs[i].page())
	}
	return append(pages, m.earlierPages()...)
}

// page is an output to read: the change, or the text.
func (o output) page() pager.Page {
	lay := func(*style.Theme, int) []string { return outputLines(o.text) }
	switch {
	case o.prose:
		lay = func(_ *style.Theme, width int) []string {
			return style.WrapText(style.CleanProse(strings.TrimSpace(o.text)), min(width, markdown.TextColumns))
		}
	case o.diff != "":
		lay = func(t *style.Theme, width int) []string { return patch.Render(t, o.diff, width) }
	}
	return pager.Page{Title: o.title, Lay: lay}
}

func outputLines(text string) []string {
	return strings.Split(strings.TrimRight(style.Clean(text), "\n"), "\n")
}

// readSpools reads the files of outputs that were too long to be kept.
func (m *Model) readSpools() tea.Cmd {
	var cmds []tea.Cmd
	for _, o := range m.outputs {
		if o.spool != "" {
			cmds = append(cmds, guarded(func() tea.Msg {
				text, err := readSome(o.spool)
				if err != nil {
					return nil // what was kept is shown
				}
				return spoolMsg{o.spool, text}
			}))
		}
	}
	return tea.Batch(cmds...)
}

// spoolRead puts all of an output in place of what was kept of it.
func (m *Model) spoolRead(read spoolMsg) {
	for i := range m.outputs {
		if m.outputs[i].spool == read.spool {
			m.outputs[i].text, m.outputs[i].spool = read.text, ""
		}
	}
}

// readSome reads the beginning of a file.
func readSome(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, outputBytes))
	return string(data), err
}

// openPages opens the pager, which covers everything else.
func (m *Model) openPages(pages func() []pager.Page) {
	m.pager, m.covered = pager.Open(pages, 0), m.opts.Now()
}

// openPage opens one thing to read.
func (m *Model) openPage(title string, lay transcript.Lay) {
	page := pager.Page{Title: title, Lay: lay}
	m.openPages(func() []pager.Page { return []pager.Page{page} })
}

// openDiff opens a patch: what it does to which file, then a page a file. A single file
// is all there is to see.
func (m *Model) openDiff(title, diff string) {
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
	m.openPages(func() []pager.Page { return pages })
}

// pagerKey gives a key to the pager.
func (m *Model) pagerKey(k term.Key) {
	if m.pager.Key(k) {
		m.pager, m.reading = nil, 0
		m.questions.Uncover(m.covered, m.opts.Now())
	}
}

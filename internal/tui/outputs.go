package tui

import (
	"io"
	"os"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"agent/internal/tui/pager"
	"agent/internal/tui/patch"
	"agent/internal/tui/style"
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

// outputPages are the outputs as pages.
func (a *activity) outputPages() []pager.Page {
	var pages []pager.Page
	for _, tool := range a.tools {
		text := string(tool.output)
		pages = append(pages, pager.Page{Title: tool.said.Running(), Grows: true, Lay: func(*style.Theme, int) []string { return outputLines(text) }})
	}
	if a.watched.ID != 0 {
		pages = append(pages, a.watched.page())
	}
	for i := len(a.outputs) - 1; i >= 0; i-- {
		pages = append(pages, a.outputs[i].page())
	}
	if len(a.said) > 0 {
		pages = append(pages, a.said.page())
	}
	return append(pages, a.earlierPages()...)
}

// saidBytes bounds how much of what was said is kept to be searched.
const saidBytes = 512 << 10

// sayings are what was said in the session, oldest first, the latest of it.
type sayings []string

// add keeps another text, in place of the oldest when there are too many.
func (s *sayings) add(text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	*s = append(*s, text)
	size := 0
	for i, kept := range slices.Backward(*s) {
		if size += len(kept); size > saidBytes && i < len(*s)-1 {
			*s = slices.Clone((*s)[i+1:])
			return
		}
	}
}

// page is all of it to read.
func (s sayings) page() pager.Page {
	text := strings.Join(s, "\n\n")
	return pager.Page{Title: "what was said", Lay: func(t *style.Theme, width int) []string {
		return style.WrapText(style.CleanProse(text), t.Prose(width))
	}}
}

// page is an output to read: the change, or the text.
func (o output) page() pager.Page {
	lay := func(*style.Theme, int) []string { return outputLines(o.text) }
	switch {
	case o.prose:
		lay = func(t *style.Theme, width int) []string {
			return style.WrapText(style.CleanProse(strings.TrimSpace(o.text)), t.Prose(width))
		}
	case o.diff != "":
		lay = func(t *style.Theme, width int) []string { return patch.Render(t, o.diff, width) }
	}
	return pager.Page{Title: o.title, Lay: lay}
}

func outputLines(text string) []string {
	return strings.Split(strings.TrimRight(style.Clean(text), "\n"), "\n")
}

// readSpools reads the files of outputs that were too long to be kept, and puts all of each
// in place of what was kept of it.
func (a *activity) readSpools() tea.Cmd {
	var cmds []tea.Cmd
	for _, o := range a.outputs {
		if o.spool != "" {
			cmds = append(cmds, guarded(func() tea.Msg {
				text, err := readSome(o.spool)
				if err != nil {
					return nil // what was kept is shown
				}
				return then(func() {
					if i := slices.IndexFunc(a.outputs, func(now output) bool { return now.spool == o.spool }); i >= 0 {
						a.outputs[i].text, a.outputs[i].spool = text, ""
					}
				})
			}))
		}
	}
	return tea.Batch(cmds...)
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

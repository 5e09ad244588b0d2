package tui

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"agent/internal/tui/pager"
	"agent/internal/tui/style"
	"agent/internal/tui/transcript"
)

// outputBytes limits the bytes that are read from the file of a long output, and the size of an edited
// prompt.
const outputBytes = 4 << 20

// output is a result, or reasoning, that can be opened in the pager.
type output struct {
	pager.Page
	// spool is the path of the file with the whole output, or "" if the page contains all of it.
	spool string
	// number counts the outputs of the session.
	number int
}

// plainLay lays out text line by line as it was printed. proseLay wraps text between words.
func plainLay(text string) transcript.Layout {
	return func(*style.Theme, int) []string {
		return strings.Split(strings.TrimRight(style.Clean(text), "\n"), "\n")
	}
}

func proseLay(text string) transcript.Layout {
	return func(t *style.Theme, width int) []string {
		return style.WrapText(style.CleanProse(text), t.ProseWidth(width))
	}
}

// outputsKept is the number of results that can be opened.
const outputsKept = 30

// outputs holds the latest results, oldest first.
type outputs []output

func (o *outputs) add(result output) {
	if len(*o) == outputsKept {
		*o = (*o)[1:]
	}
	if n := len(*o); n > 0 {
		result.number = (*o)[n-1].number + 1
	}
	if result.Key == "" {
		result.Key = fmt.Sprint("output ", result.number)
	}
	*o = append(*o, result)
}

// outputPages returns the pages of the pager. They show the running subagents and tools, the job in the
// foreground, the outputs, the conversation, and the turns from before a resume.
func (a *activity) outputPages() []pager.Page {
	var pages []pager.Page
	for _, agent := range slices.Backward(a.agents) {
		pages = append(pages, a.agentPage(agent, true))
	}
	for _, tool := range a.tools {
		if a.hasAgent(tool) {
			continue
		}
		pages = append(pages, pager.Page{Key: callKey(tool.call), Title: tool.said.Progressive(), Grows: true, Layout: plainLay(string(tool.output))})
	}
	if a.watched.ID != 0 {
		pages = append(pages, pager.Page{Key: "job", Title: jobTitle(a.watched), Grows: true, Layout: plainLay(a.watched.Tail())})
	}
	for _, o := range slices.Backward(a.outputs) {
		pages = append(pages, o.Page)
	}
	if len(a.said) > 0 {
		pages = append(pages, pager.Page{Key: "said", Title: "messages", Layout: proseLay(strings.Join(a.said, "\n\n"))})
	}
	return append(pages, a.earlierPages()...)
}

// callKey returns the key of the page with the output of a call, while the call runs and afterwards. It
// returns "" for a call without a number.
func callKey(call int) string {
	if call == 0 {
		return ""
	}
	return fmt.Sprint("call ", call)
}

// saidBytes limits the bytes of the conversation that are kept for searching.
const saidBytes = 512 << 10

// sayings holds the latest texts of the conversation, oldest first.
type sayings []string

// add appends a text and drops the oldest texts beyond saidBytes.
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

// readSpools returns a command that reads the files of long outputs. It replaces the shortened text of each
// output by the whole text.
func (a *activity) readSpools() tea.Cmd {
	var cmds []tea.Cmd
	for _, o := range a.outputs {
		if o.spool != "" {
			cmds = append(cmds, guardPanic(func() tea.Msg {
				text, err := readSome(o.spool)
				if err != nil {
					return nil // the shortened text stays
				}
				return thenDo(func() {
					if i := slices.IndexFunc(a.outputs, func(now output) bool { return now.spool == o.spool }); i >= 0 {
						a.outputs[i].Layout, a.outputs[i].spool = plainLay(text), ""
					}
				})
			}))
		}
	}
	return tea.Batch(cmds...)
}

func readSome(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, outputBytes))
	return string(data), err
}

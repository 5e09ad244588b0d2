package tui

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"agent/internal/chat"
	"agent/internal/tools"
	"agent/internal/tui/patch"
	"agent/internal/tui/style"
	"agent/internal/tui/transcript"
	"agent/internal/words"
)

// Bounds of what a tool shows.
const (
	// liveOutputLines is how much of a running command's output is shown.
	liveOutputLines = 5
	// resultLines is how much of a finished command's output is printed.
	resultLines = 8
	// diffLines is how much of an edit is printed.
	diffLines = 40
	// errorLines is how much of a failure is printed.
	errorLines = 6
)

// runningTool is a call that runs.
type runningTool struct {
	call    int
	title   string
	started time.Time
	// output is the end of what it printed.
	output []byte
}

// output is a result, for Ctrl+O.
type output struct {
	title, text, diff, spool string
}

// outputsKept is how many results Ctrl+O can go back to.
const outputsKept = 30

// outputs are the latest results, oldest first.
type outputs struct {
	kept []output
	// seen is how many of them, from the newest, have been shown in full.
	seen int
}

func (o *outputs) add(result output) {
	if len(o.kept) == outputsKept {
		o.kept = o.kept[1:]
	}
	o.kept, o.seen = append(o.kept, result), 0
}

// next is the newest result that has not been shown, or ok is false.
func (o *outputs) next() (result output, ok bool) {
	at := len(o.kept) - 1 - o.seen
	if at < 0 {
		o.seen = 0
		return output{}, false
	}
	o.seen++
	return o.kept[at], true
}

func (m *Model) toolStarted(e chat.ToolStarted) {
	m.endThinking()
	m.turn.arriving = ""
	m.tools = append(m.tools, runningTool{call: e.Call, title: title(e.Title, e.Name), started: m.opts.Now()})
}

func (m *Model) toolOutput(e chat.ToolOutput) {
	for i := range m.tools {
		if t := &m.tools[i]; t.call == e.Call {
			t.output = append(t.output, e.Data...)
			if len(t.output) > 2*outputKept {
				t.output = append(t.output[:0], t.output[len(t.output)-outputKept:]...)
			}
		}
	}
}

func (m *Model) toolEnded(e chat.ToolEnded) {
	m.endThinking()
	m.turn.arriving = ""
	for i := range m.tools {
		if m.tools[i].call == e.Call {
			m.tools = append(m.tools[:i:i], m.tools[i+1:]...)
			break
		}
	}
	a := e.Answer
	if a.Diff != "" || a.Text != "" || a.Error != "" {
		text := a.Text
		if text == "" {
			text = cmp.Or(a.Error, "no output")
		}
		m.outputs.add(output{title: title(e.Title, e.Name), text: text, diff: a.Diff, spool: a.Spool})
	}
	m.print(transcript.Line, func(t *style.Theme, width int) []string { return toolResult(t, e, width) })
}

func title(title, name string) string {
	if title == "" {
		title = name
	}
	return style.Reveal(words.FirstLine(title)).Text
}

// toolResult is what is printed of a finished call. It looks at the answer, never
// at the tool's name: a difference is an edit, an exit code is a command, the rest
// was something to read.
func toolResult(t *style.Theme, e chat.ToolEnded, width int) []string {
	a := e.Answer
	failed := a.Error != "" || a.ExitCode != nil && *a.ExitCode != 0
	glyph := t.OK.Text("✓")
	if failed {
		glyph = t.Bad.Text("✗")
	}
	said, body := outcome(t, a, width-2)
	if e.Duration >= time.Second {
		said = style.Listed(said, words.Took(e.Duration))
	}
	if said != "" {
		said = " — " + said
	}
	head := glyph + " " + style.Truncate(title(e.Title, e.Name), max(20, width-2-style.Width(said))) + t.Dim.Text(style.Truncate(said, width/2))
	return append([]string{head}, style.IndentAll(body, "  ")...)
}

// answer says in words what came of a call, and what of it is worth showing.
func outcome(t *style.Theme, a tools.Answer, width int) (outcome string, body []string) {
	switch {
	case a.Diff != "":
		return patch.StatText(a.Diff), bounded(t, patch.Render(t, a.Diff, width), diffLines)
	case a.ExitCode != nil:
		text := strings.TrimRight(style.Clean(a.Text), "\n")
		return style.Listed(fmt.Sprintf("exit %d", *a.ExitCode), lineCount(text)), lastLines(t, text, width)
	case a.Error != "":
		return "", append(boundedText(t, a.Error, width), lastLines(t, strings.TrimRight(style.Clean(a.Text), "\n"), width)...)
	}
	return lineCount(a.Text), nil
}

// lineCount says how long a text is.
func lineCount(text string) string {
	if n := words.Lines(text); n > 0 {
		return words.Count(n, "line")
	}
	return "no output"
}

// bounded cuts lines at the end and says so.
func bounded(t *style.Theme, lines []string, most int) []string {
	if more := len(lines) - most; more > 1 {
		return append(lines[:most:most], t.Dim.Text(fmt.Sprintf("… %d more lines, Ctrl+O", more)))
	}
	return lines
}

func boundedText(t *style.Theme, text string, width int) []string {
	var rows []string
	for _, row := range style.WrapText(strings.TrimSpace(style.Clean(text)), max(20, width)) {
		rows = append(rows, t.Bad.Text(row))
	}
	return bounded(t, rows, errorLines)
}

// lastLines is the end of a command's output.
func lastLines(t *style.Theme, text string, width int) []string {
	if text == "" {
		return nil
	}
	lines := strings.Split(text, "\n")
	var rows []string
	if more := len(lines) - resultLines; more > 1 {
		rows = append(rows, t.Dim.Text(fmt.Sprintf("… %d more lines, Ctrl+O", more)))
		lines = lines[more:]
	}
	for _, line := range lines {
		rows = append(rows, t.Dim.Text(style.Truncate(line, max(20, width))))
	}
	return rows
}

// toolsView lists what runs, with elapsed time and the end of its output.
func (m *Model) toolsView(width, room int) []string {
	var lines []string
	for i, tool := range m.tools {
		if len(lines) >= room {
			break
		}
		time := " " + words.Elapsed(m.opts.Now().Sub(tool.started))
		lines = append(lines, m.spinner()+" "+style.Truncate(tool.title, width-2-len(time))+m.theme.Dim.Text(time))
		share := min(liveOutputLines, (room-len(lines))/(len(m.tools)-i))
		for _, row := range style.Tail(string(tool.output), width-2, share) {
			lines = append(lines, m.theme.Dim.Text("  "+row))
		}
	}
	return lines
}

package tui

import (
	"fmt"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"agent/internal/atcmd"
	"agent/internal/chat"
	"agent/internal/tui/style"
	"agent/internal/tui/transcript"
	"agent/internal/words"
)

// longTurn is how long a turn must have taken for its end to call the person.
const longTurn = 10 * time.Second

// eventsCame takes events of the turn loop. After a turn the next line for the shell
// runs, and something else may be checked out.
func (m *Model) eventsCame(events []chat.Event) (next tea.Cmd) {
	for _, event := range events {
		m.event(event)
		switch event := event.(type) {
		case chat.TurnEnded:
			m.runHeld()
			next = tea.Batch(next, m.opts.askBranch(m.ctx))
			if choosesModel(event.Err) && !m.opts.Plain && m.opts.Commands != nil {
				next = tea.Batch(next, m.chooseModel())
			}
		case chat.StatusChanged:
			next = tea.Batch(next, m.own.ask())
		}
	}
	return next
}

// event takes one event of the turn loop: what continues is the activity's.
func (m *Model) event(event chat.Event) {
	if e, ok := event.(chat.StatusChanged); ok && e.Status.Model != m.status.Model {
		m.line.cached = 0 // the provider caches for each model apart
	}
	m.activity.event(event)
	switch e := event.(type) {
	case chat.UserMessage:
		m.userMessage(e)
	case chat.MessageReturned:
		if m.input.Empty() {
			m.input.Restore(e.Message)
			m.showHint("the message is back in the prompt: Esc clears it", false)
		} else {
			m.note(dim, "↑", "what could not be sent is in the prompt history: Up brings it back")
		}
	case chat.ApprovalRequested:
		m.questions.Add(e.Approval, m.opts.Now(), m.input.Typed)
		m.calling = true
	case chat.ApprovalSettled:
		m.questions.Settle(e.ID, m.opts.Now())
	case chat.UsageReported:
		m.line.cached = chat.Percent(e.CachedTokens, max(1, e.PromptTokens))
	}
}

// userMessage prints what the user said and what the @ processor made of it.
func (m *Model) userMessage(e chat.UserMessage) {
	said := promptRows(m.input.AsTyped(e.Text))
	if m.heard(e.Text) {
		said = transcript.Rows()
	}
	var files []transcript.Lay
	for _, file := range e.Included {
		if m.opts.Files != nil {
			m.opts.Files.Used(file.Path)
		}
		files = append(files, noteRows(dim, "  +", file.Path+" — "+includedSize(file)))
	}
	for _, file := range e.Skipped {
		files = append(files, noteRows(warn, "  −", fmt.Sprintf("%s — skipped: %s", file.Path, file.Reason)))
	}
	m.print(transcript.Text, func(t *style.Theme, width int) []string {
		rows := said(t, width)
		for _, file := range files {
			rows = append(rows, file(t, width)...)
		}
		return rows
	})
}

// heard reports whether a message was typed on a terminal that shows what is typed: saying
// it again would be heard twice.
func (m *Model) heard(text string) bool {
	return m.opts.Plain && m.typedLines[strings.TrimSpace(text)]
}

// includedSize says how much of the context a file takes: images have no lines.
func includedSize(file atcmd.Included) string {
	if file.Lines == 0 && file.Bytes > 0 {
		return fmt.Sprintf("%d KiB", (file.Bytes+1023)/1024)
	}
	return words.Count(file.Lines, "line")
}

// promptShown bounds how much of a message is printed back, in lines.
const promptShown = 20

// promptRows is what the user typed, as it is printed back: on a ground of its own
// where there are colours for it.
func promptRows(text string) transcript.Lay {
	clean := style.CleanProse(strings.TrimRight(text, "\n"))
	lines := strings.Split(clean, "\n")
	more := len(lines) - promptShown
	if more > 0 {
		lines = lines[:promptShown]
	}
	return func(t *style.Theme, width int) []string {
		if t.Spoken {
			return style.WrapText("You: "+clean, width)
		}
		var rows []string
		for i, line := range lines {
			for j, row := range style.WrapText(line, max(10, t.Prose(width)-2)) {
				mark := style.Span{Text: "  "}
				if i == 0 && j == 0 {
					mark = style.Span{Text: "> ", Style: t.User}
				}
				said := style.Spans{mark, {Text: row}}
				if t.UserGround.On != "" {
					said = said.On(t.UserGround, width)
				}
				rows = append(rows, said.String())
			}
		}
		if more > 0 {
			rows = append(rows, t.Dim.Text("  … "+words.Count(more, "more line")))
		}
		return rows
	}
}

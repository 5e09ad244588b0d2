package tui

import (
	"fmt"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"agent/internal/atcmd"
	"agent/internal/base/humanize"
	"agent/internal/chat"
	"agent/internal/tui/style"
	"agent/internal/tui/transcript"
)

// longTurn is the shortest turn whose end notifies the user.
const longTurn = 10 * time.Second

// eventsCame handles events of the turn loop. After a turn it runs the next shell command and reads the
// branch again, because the turn may have changed it.
func (m *Model) eventsCame(events []chat.Event) (next tea.Cmd) {
	for _, event := range events {
		m.event(event)
		switch event := event.(type) {
		case chat.TurnEnded:
			m.runHeld()
			next = tea.Batch(next, m.opts.askBranch(m.surface.ctx), m.settleOutdated())
			if choosesModel(event.Err) && !m.surface.plain && m.opts.Commands != nil {
				next = tea.Batch(next, m.chooseModel())
			}
		case chat.StatusChanged:
			next = tea.Batch(next, m.own.ask())
		}
	}
	return next
}

// event handles one event of the turn loop. The activity handles the part about work in progress.
func (m *Model) event(event chat.Event) {
	if e, ok := event.(chat.StatusChanged); ok && e.Status.Model != m.surface.status.Model {
		m.line.cached = 0 // the provider has a separate cache for each model
	}
	m.activity.event(event)
	switch e := event.(type) {
	case chat.UserMessage:
		m.userMessage(e)
	case chat.MessageReturned:
		if m.input.Editor.Empty() {
			m.input.Editor.Restore(e.Message)
			m.surface.showHint("your unsent input is back in the prompt; Esc clears it", false)
		} else {
			m.surface.note(dim, "↑", "your unsent input is in the prompt history; Up restores it")
		}
	case chat.ApprovalRequested:
		m.questions.Add(e.Approval, m.surface.now(), m.input.Typed)
		m.surface.calling = true
	case chat.ApprovalSettled:
		m.questions.Settle(e.ID, m.surface.now())
	case chat.TurnEnded:
		m.presence.status.ended = e
	case chat.UsageReported:
		m.line.cached = chat.Percent(e.CachedTokens, max(1, e.PromptTokens))
	}
}

// userMessage prints the user's message, and the files that the @ processor included or skipped.
func (m *Model) userMessage(e chat.UserMessage) {
	said := promptRows(m.input.TypedForm(e.Text))
	if m.isEchoed(e.Text) {
		said = transcript.Rows()
	}
	var files []transcript.Layout
	for _, file := range e.Included {
		if m.opts.Files != nil {
			m.opts.Files.MarkUsed(file.Path)
		}
		files = append(files, noteRows(dim, "  +", file.Path+" — "+includedSize(file)))
	}
	for _, file := range e.Skipped {
		files = append(files, noteRows(warn, "  −", fmt.Sprintf("%s — skipped: %s", file.Path, file.Reason)))
	}
	m.surface.print(transcript.KindText, func(t *style.Theme, width int) []string {
		rows := said(t, width)
		for _, file := range files {
			rows = append(rows, file(t, width)...)
		}
		return rows
	})
}

// isEchoed reports whether a message was typed in plain mode, where the terminal shows typed lines. If the
// message were printed again, a screen reader would read it twice.
func (m *Model) isEchoed(text string) bool {
	return m.surface.plain && m.typedLines[strings.TrimSpace(text)]
}

// includedSize returns the size of an included file, in lines as text. The size of an image is in KiB.
func includedSize(file atcmd.IncludedFile) string {
	if file.Lines == 0 && file.Bytes > 0 {
		return fmt.Sprintf("%d KiB", (file.Bytes+1023)/1024)
	}
	return humanize.Count(file.Lines, "line")
}

// promptShown limits the lines of a message that are printed.
const promptShown = 20

// promptRows lays out the user's message for the transcript, on a separate background if the terminal has
// colors.
func promptRows(text string) transcript.Layout {
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
			for j, row := range style.WrapText(line, max(10, t.ProseWidth(width)-2)) {
				mark := style.Span{Text: "  "}
				if i == 0 && j == 0 {
					mark = style.Span{Text: "> ", Style: t.User}
				}
				said := style.Spans{mark, {Text: row}}
				if t.UserGround.On != "" {
					said = said.OnBackground(t.UserGround, width)
				}
				rows = append(rows, said.String())
			}
		}
		if more > 0 {
			rows = append(rows, t.Dim.Text("  … "+humanize.Count(more, "more line")))
		}
		return rows
	}
}

package tui

import (
	"fmt"
	"strings"
	"time"

	"agent/internal/atcmd"
	"agent/internal/chat"
	"agent/internal/tui/markdown"
	"agent/internal/tui/style"
	"agent/internal/words"
)

// longTurn is how long a turn must have taken for its end to ring the bell.
const longTurn = 15 * time.Second

// event takes one event of the turn loop.
func (m *Model) event(event chat.Event) {
	switch e := event.(type) {
	case chat.TurnStarted:
		m.turn = turn{running: true, started: m.opts.Now()}
	case chat.TurnEnded:
		m.turnEnded(e)
	case chat.UserMessage:
		m.userMessage(e)
	case chat.MessageReturned:
		m.turn.returned = true
		if m.input.Empty() {
			m.giveBack(e.Message)
		}
	case chat.TextDelta:
		m.endThinking()
		m.printReply(m.reply.text.Add(e.Delta))
	case chat.ReasoningDelta:
		m.reply.think(e.Delta, m.opts.Now())
	case chat.ReplyDiscarded:
		m.replyDiscarded()
	case chat.ReplyEnded:
		m.endReply(e.Text)
		m.turn.arriving = ""
	case chat.CallArriving:
		m.endThinking()
		m.turn.arriving = e.Name
	case chat.ToolStarted:
		m.toolStarted(e)
	case chat.ToolOutput:
		m.toolOutput(e)
	case chat.ToolEnded:
		m.toolEnded(e)
	case chat.ApprovalRequested:
		m.questions.Add(e.Approval, m.opts.Now(), m.typed)
		m.bell = true
	case chat.ApprovalSettled:
		m.questions.Settle(e.ID, m.opts.Now())
	case chat.QueueChanged:
		m.queued = e.Messages
	case chat.StatusChanged:
		m.status = e.Status
	default:
		m.report(event)
	}
}

// report prints the events that are a line.
func (m *Model) report(event chat.Event) {
	t := m.theme
	switch e := event.(type) {
	case chat.DensityApplied:
		m.note(t.Dim, "≈", e.String())
	case chat.Compressed:
		m.note(t.Dim, "≈", e.String())
	case chat.Retry:
		m.note(t.Warn, "↻", fmt.Sprintf("%s; try %d in %s", e.Reason, e.Attempt, words.Took(e.Delay)))
	case chat.Notice:
		m.note(t.Warn, "!", e.Text)
	}
}

// note prints a line that tells what happened: a glyph, then words.
func (m *Model) note(look style.Style, glyph, text string) {
	m.scrollback.print(lineBlock, m.noteLines(look, glyph, text)...)
}

func (m *Model) noteLines(look style.Style, glyph, text string) []string {
	margin := strings.Repeat(" ", style.Width(glyph)+1)
	rows := style.WrapText(style.CleanProse(strings.TrimSpace(text)), max(10, min(m.columns(), markdown.TextColumns)-len(margin)))
	for i, row := range rows {
		rows[i] = look.Text(row)
	}
	return style.Indent(rows, look.Text(glyph)+" ", margin)
}

// userMessage prints what the user said and what the @ processor made of it.
func (m *Model) userMessage(e chat.UserMessage) {
	lines := m.promptLines(e.Text)
	for _, file := range e.Included {
		lines = append(lines, m.noteLines(m.theme.Dim, "  +", file.Path+" — "+includedSize(file))...)
	}
	for _, file := range e.Skipped {
		lines = append(lines, m.noteLines(m.theme.Warn, "  −", fmt.Sprintf("%s — skipped: %s", file.Path, file.Reason))...)
	}
	m.scrollback.print(textBlock, lines...)
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

// promptLines is what the user typed, as it is printed back.
func (m *Model) promptLines(text string) []string {
	lines := strings.Split(style.CleanProse(strings.TrimRight(text, "\n")), "\n")
	more := len(lines) - promptShown
	if more > 0 {
		lines = lines[:promptShown]
	}
	var rows []string
	for _, line := range lines {
		rows = append(rows, style.WrapText(line, max(10, min(m.columns(), markdown.TextColumns)-2))...)
	}
	rows = style.Indent(rows, m.theme.User.Text("> "), "  ")
	if more > 0 {
		rows = append(rows, m.theme.Dim.Text("  … "+words.Count(more, "more line")))
	}
	return rows
}

// replyDiscarded drops the open reply. What has been printed of it cannot be taken
// back, so it is said.
func (m *Model) replyDiscarded() {
	if m.reply.printed {
		m.note(m.theme.Dim, "↻", "the reply above was cut off and starts over")
	}
	m.reply = reply{}
	m.turn.arriving = ""
}

func (m *Model) turnEnded(e chat.TurnEnded) {
	m.endReply("")
	if m.opts.Now().Sub(m.turn.started) >= longTurn {
		m.bell = true
	}
	again := e.Outcome.Stop == chat.StopFailed && !m.turn.returned
	m.turn = turn{}
	m.tools = nil
	m.queued = nil
	switch {
	case e.Outcome.Stop == chat.StopInterrupted:
		m.note(m.theme.Warn, "■", "interrupted")
	case e.Outcome.Stop == chat.StopDenied && e.Err == nil:
		m.note(m.theme.Warn, "■", "stopped after the refusal; say how to go on")
	case e.Err != nil:
		m.note(m.theme.Bad, "✗", e.Err.Error())
		if again {
			m.scrollback.print(lineBlock, m.theme.Dim.Text("  /retry sends it again"))
		}
	}
}

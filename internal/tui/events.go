package tui

import (
	"fmt"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"agent/internal/atcmd"
	"agent/internal/chat"
	"agent/internal/tui/markdown"
	"agent/internal/tui/style"
	"agent/internal/tui/transcript"
	"agent/internal/words"
)

// longTurn is how long a turn must have taken for its end to ring the bell.
const longTurn = 15 * time.Second

// eventsCame takes events of the turn loop. After a turn the next line for the shell
// runs, and something else may be checked out.
func (m *Model) eventsCame(events []chat.Event) (next tea.Cmd) {
	for _, event := range events {
		m.event(event)
		if _, ended := event.(chat.TurnEnded); ended {
			m.runHeld()
			next = m.askBranch()
		}
	}
	return next
}

// event takes one event of the turn loop.
func (m *Model) event(event chat.Event) {
	switch event.(type) {
	case chat.QueueChanged, chat.StatusChanged: // not of the model
	case chat.DensityApplied:
		m.turn.silence = silence{}
	default:
		m.turn.silence = silence{}
		m.endEdit()
	}
	switch e := event.(type) {
	case chat.Waiting:
		now := m.opts.Now()
		m.turn.silence = silence{since: now.Add(-e.For), told: now}
	case chat.TurnStarted:
		m.turn = turn{running: true, started: m.opts.Now(), cost: m.stats.Cost, saving: m.stats.Saving}
	case chat.TurnEnded:
		m.turnEnded(e)
	case chat.UserMessage:
		m.userMessage(e)
	case chat.MessageReturned:
		m.turn.returned = true
		if m.input.Empty() {
			m.giveBack(e.Message)
		} else {
			m.note(dim, "↑", "what could not be sent is in the prompt history: Up brings it back")
		}
	case chat.TextDelta:
		m.endThinking()
		m.turn.written += len(e.Delta)
		m.turn.retry.at = time.Time{}
		m.printReply(m.reply.text.Add(e.Delta))
	case chat.ReasoningDelta:
		m.turn.retry.at = time.Time{}
		m.reply.think(e.Delta, m.opts.Now())
	case chat.TextWasThinking:
		m.replyVoid("the text above was the model's thinking")
	case chat.ReplyDiscarded:
		m.replyVoid("the reply above was cut off and does not count")
	case chat.ReplyEnded:
		m.endReply(e.Text)
		m.turn.arriving, m.turn.written = "", 0
	case chat.CallArriving:
		m.endThinking()
		m.turn.retry.at = time.Time{}
		m.turn.arriving = e.Name
	case chat.ToolStarted:
		m.toolStarted(e)
	case chat.ToolOutput:
		m.toolOutput(e)
	case chat.ToolEnded:
		m.toolEnded(e)
	case chat.CompressionStarted:
		m.turn.summariser = e.Model
	case chat.ApprovalRequested:
		m.questions.Add(e.Approval, m.opts.Now(), m.typed)
		m.bell = true
		if m.turn.askedAt.IsZero() {
			m.turn.askedAt = m.opts.Now()
		}
	case chat.UsageReported:
		m.turn.retry.at = time.Time{}
		m.turn.used(e)
		m.cached = chat.Percent(e.CachedTokens, max(1, e.PromptTokens))
	case chat.Retry:
		m.turn.retry = retry{e.Attempt, m.withoutEndpoint(e.Reason), m.opts.Now().Add(e.Delay)}
	case chat.ApprovalSettled:
		m.turn.answered(m.opts.Now())
		m.questions.Settle(e.ID, m.opts.Now())
	case chat.QueueChanged:
		m.queued = e.Messages
	case chat.StatusChanged:
		m.status, m.stats = e.Status, e.Stats
	default:
		m.report(event)
	}
}

// report prints the events that are a line.
func (m *Model) report(event chat.Event) {
	switch e := event.(type) {
	case chat.DensityApplied:
		m.densityApplied(e)
	case chat.Compressed:
		m.turn.summariser = ""
		m.note(dim, "≈", e.String())
	case chat.Notice:
		m.note(warn, "!", e.Text)
	}
}

// note prints a line that tells what happened: a glyph, then words.
func (m *Model) note(look func(*style.Theme) style.Style, glyph, text string) {
	m.print(transcript.Line, noteRows(look, glyph, text))
}

// noteRows lays out a note.
func noteRows(look func(*style.Theme) style.Style, glyph, text string) transcript.Lay {
	text = style.CleanProse(strings.TrimSpace(text))
	return func(t *style.Theme, width int) []string {
		margin := strings.Repeat(" ", style.Width(glyph)+1)
		rows := style.WrapText(text, max(10, min(width, markdown.TextColumns)-len(margin)))
		for i, row := range rows {
			rows[i] = look(t).Text(row)
		}
		return style.Indent(rows, look(t).Text(glyph)+" ", margin)
	}
}

// The looks of notes.
func dim(t *style.Theme) style.Style  { return t.Dim }
func warn(t *style.Theme) style.Style { return t.Warn }
func bad(t *style.Theme) style.Style  { return t.Bad }

// userMessage prints what the user said and what the @ processor made of it.
func (m *Model) userMessage(e chat.UserMessage) {
	said := promptRows(m.asTyped(e.Text))
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
	lines := strings.Split(style.CleanProse(strings.TrimRight(text, "\n")), "\n")
	more := len(lines) - promptShown
	if more > 0 {
		lines = lines[:promptShown]
	}
	return func(t *style.Theme, width int) []string {
		var rows []string
		for i, line := range lines {
			for j, row := range style.WrapText(line, max(10, min(width, markdown.TextColumns)-2)) {
				mark := style.Span{Text: "  "}
				if i == 0 && j == 0 {
					mark = style.Span{Text: "> ", Style: t.User}
				}
				rows = append(rows, grounded(t, style.Spans{mark, {Text: row}}, width))
			}
		}
		if more > 0 {
			rows = append(rows, t.Dim.Text("  … "+words.Count(more, "more line")))
		}
		return rows
	}
}

// grounded is a row on the ground of what the user says, as wide as the window.
func grounded(t *style.Theme, row style.Spans, width int) string {
	if t.UserGround.On == "" {
		return row.String()
	}
	if pad := width - row.Width(); pad > 0 {
		row = append(row, style.Span{Text: strings.Repeat(" ", pad)})
	}
	for i := range row {
		row[i].Style = row[i].Style.Over(t.UserGround)
	}
	return row.String()
}

// replyVoid drops the open reply. What has been printed of it cannot be taken
// back, so it is said.
func (m *Model) replyVoid(why string) {
	if _, growing := m.transcript.Grown(); growing {
		m.printReply(m.reply.text.End())
	}
	if m.reply.printed {
		m.note(dim, "↻", why)
	}
	m.reply = reply{}
	m.turn.arriving = ""
}

func (m *Model) turnEnded(e chat.TurnEnded) {
	m.endReply("")
	m.endHeld()
	if m.opts.Now().Sub(m.turn.started) >= longTurn {
		m.bell = true
	}
	again := e.Outcome.Stop == chat.StopFailed && !m.turn.returned
	switch {
	case e.Outcome.Stop == chat.StopInterrupted:
		m.note(warn, "■", "interrupted")
	case e.Outcome.Stop == chat.StopDenied && e.Err == nil:
		m.note(warn, "■", "stopped after the refusal; say how to go on")
	case e.Err != nil:
		m.note(bad, "✗", e.Err.Error())
		if again {
			m.print(transcript.Line, func(t *style.Theme, _ int) []string { return []string{t.Dim.Text("  /retry sends it again")} })
		}
	}
	m.endTurn(e.Err != nil)
	m.turn = turn{}
	m.tools = nil
	m.queued = nil
}

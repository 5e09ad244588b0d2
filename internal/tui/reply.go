package tui

import (
	"time"

	"agent/internal/tui/markdown"
	"agent/internal/tui/style"
	"agent/internal/words"
)

// reply is the model's answer as it comes in: thinking first, then text. Closed
// blocks of the text have left for the scrollback.
type reply struct {
	text markdown.Stream
	// printed is set when a block of this reply has left.
	printed bool

	thought      []byte
	thoughtSince time.Time
}

// thoughtKept bounds the thinking that is held, in bytes; only its end is shown.
const thoughtKept = 4 << 10

func (r *reply) thinking() bool { return !r.thoughtSince.IsZero() }

// think adds thinking.
func (r *reply) think(delta string, now time.Time) {
	if !r.thinking() {
		r.thoughtSince = now
	}
	r.thought = append(r.thought, delta...)
	if len(r.thought) > 2*thoughtKept {
		r.thought = append(r.thought[:0], r.thought[len(r.thought)-thoughtKept:]...)
	}
}

// view is the tail of what is open, as plain text: a growing block is never
// rendered as markdown, because what comes next may change what it is.
func (r *reply) view(t *style.Theme, width, room int) []string {
	if rows := r.text.Tail(min(width, markdown.TextColumns), room); len(rows) > 0 {
		return rows
	}
	rows := style.Tail(string(r.thought), min(width, markdown.TextColumns)-2, min(3, room))
	for i, row := range rows {
		rows[i] = t.Dim.Text("  " + row)
	}
	return rows
}

// printReply prints closed blocks of the reply.
func (m *Model) printReply(blocks []string) {
	for _, block := range blocks {
		m.scrollback.print(textBlock, m.md.Render(block, m.columns())...)
		m.reply.printed = true
	}
}

// endThinking replaces the thinking on the screen by a line.
func (m *Model) endThinking() {
	if !m.reply.thinking() {
		return
	}
	took := m.opts.Now().Sub(m.reply.thoughtSince)
	m.reply.thought, m.reply.thoughtSince = nil, time.Time{}
	if took >= time.Second {
		m.note(m.theme.Dim, "·", "thought for "+words.Elapsed(took))
	}
}

// endReply prints what is left of the reply. whole is all of its text, for replies
// that came in one piece.
func (m *Model) endReply(whole string) {
	m.endThinking()
	blocks := m.reply.text.End()
	if len(blocks) == 0 && !m.reply.printed {
		var once markdown.Stream
		blocks = append(once.Add(whole), once.End()...)
	}
	m.printReply(blocks)
	m.reply = reply{}
}

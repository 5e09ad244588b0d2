package tui

import (
	"time"

	"agent/internal/tui/markdown"
	"agent/internal/tui/style"
	"agent/internal/tui/transcript"
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

// thoughtKept bounds the thinking that is held, in bytes: its end.
const thoughtKept = 64 << 10

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

// maxOpen bounds the open block that is rendered with every frame, in bytes: of a
// larger one, which is a table of many rows, the end is shown as plain text.
const maxOpen = 8 << 10

// view is the end of what is open, as it will look when it is closed.
func (r *reply) view(t *style.Theme, md *markdown.Renderer, width, room int) []string {
	if room <= 0 {
		return nil
	}
	if piece, ok := r.text.Open(); ok {
		if len(piece.Text) > maxOpen {
			return style.Tail(piece.Text, min(width, markdown.TextColumns), room)
		}
		rows := md.Piece(piece, width)
		return clipped(rows[max(0, len(rows)-room):], width)
	}
	rows := style.Tail(string(r.thought), min(width, markdown.TextColumns)-2, min(3, room))
	for i, row := range rows {
		rows[i] = t.Dim.Text("  " + row)
	}
	return rows
}

// layPiece lays a piece of a reply out by the renderer of the theme that is in use then.
func (m *Model) layPiece(piece markdown.Piece) transcript.Lay {
	return func(_ *style.Theme, width int) []string { return m.md.Piece(piece, width) }
}

// printReply prints closed blocks of the reply.
func (m *Model) printReply(blocks []markdown.Piece) {
	for _, block := range blocks {
		kind := transcript.Text
		if block.More {
			kind = transcript.More
		}
		m.print(kind, m.layPiece(block))
		m.reply.printed = true
	}
}

// endThinking replaces the thinking on the screen by a line.
func (m *Model) endThinking() {
	if !m.reply.thinking() {
		return
	}
	took := m.opts.Now().Sub(m.reply.thoughtSince)
	m.outputs.add(output{title: "reasoning", text: string(m.reply.thought), prose: true})
	m.reply.thought, m.reply.thoughtSince = nil, time.Time{}
	if took >= time.Second {
		m.note(dim, "·", "thought for "+words.Elapsed(took))
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

// clipped cuts rows that are wider than the live part may be, such as code.
func clipped(rows []string, width int) []string {
	out := make([]string, len(rows))
	for i, row := range rows {
		out[i] = style.Truncate(row, width)
	}
	return out
}

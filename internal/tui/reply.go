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
	// looked is how long the open block was when it was looked at for what stays as it
	// is, in bytes.
	looked int

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

// growRows is by how many rows an open block must have grown to be looked at again.
const growRows = 2

// grow prints the rows of an open paragraph that stay as they are.
func (m *Model) grow() {
	piece, ok := m.reply.text.Open()
	if !ok || len(piece.Text) > maxOpen || m.opts.Plain {
		return // plain lines are printed once, and cannot be taken back
	}
	grown, _ := m.transcript.Grown()
	width := m.columns()
	if len(piece.Text) < m.reply.looked+growRows*min(width, markdown.TextColumns) {
		return
	}
	m.reply.looked = len(piece.Text)
	rows := m.md.Piece(piece, width)
	if len(rows) < grown+2*growRows {
		return
	}
	if settled := m.md.Settled(piece, rows, width); settled > grown {
		kind := transcript.Text
		if piece.More {
			kind = transcript.More
		}
		m.endHeld()
		m.transcript.Grow(kind, rows[:settled])
		m.reply.printed = true
	}
}

// view is the end of what is open, as it will look when it is closed, without the rows
// that were printed.
func (r *reply) view(t *style.Theme, md *markdown.Renderer, width, room, grown int) []string {
	if room <= 0 {
		return nil
	}
	if piece, ok := r.text.Open(); ok {
		if len(piece.Text) > maxOpen {
			return style.Tail(piece.Text, min(width, markdown.TextColumns), room)
		}
		rows := md.Piece(piece, width)
		rows = rows[min(grown, len(rows)):]
		return clipped(rows[max(0, len(rows)-room):], width)
	}
	rows := style.Tail(string(r.thought), min(width, markdown.TextColumns)-2, min(3, room))
	for i, row := range rows {
		rows[i] = t.Dim.Text("  " + row)
	}
	return rows
}

// goesOn reports whether what is open goes on with what was printed last: it has grown,
// or it is a part of a list, a table or code of which parts were printed.
func (r *reply) goesOn(_ int, growing bool) bool {
	piece, ok := r.text.Open()
	return ok && (growing || piece.More)
}

// layPiece lays a piece of a reply out by the renderer of the theme that is in use then.
func (m *Model) layPiece(piece markdown.Piece) transcript.Lay {
	return func(_ *style.Theme, width int) []string { return m.md.Piece(piece, width) }
}

// printReply prints closed blocks of the reply.
func (m *Model) printReply(blocks []markdown.Piece) {
	for _, block := range blocks {
		m.reply.looked = 0
		if _, growing := m.transcript.Grown(); growing {
			m.again = !m.transcript.Finish(m.layPiece(block), m.theme, m.columns()) || m.again
			continue
		}
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

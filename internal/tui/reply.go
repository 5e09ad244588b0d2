package tui

import (
	"strings"
	"time"

	"agent/internal/tui/markdown"
	"agent/internal/tui/pager"
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
	r.thought = words.KeepEnd(append(r.thought, delta...), thoughtKept)
}

// maxOpen bounds the open block that is rendered with every frame, in bytes: of a
// larger one, which is a table of many rows, the end is shown as plain text.
const maxOpen = 8 << 10

// growRows is by how many rows an open block must have grown to be looked at again.
const growRows = 2

// grow prints the rows of an open paragraph that stay as they are.
func (a *activity) grow() {
	piece, ok := a.reply.text.Open()
	if !ok || len(piece.Text) > maxOpen || a.opts.Plain {
		return // plain lines are printed once, and cannot be taken back
	}
	grown := a.transcript.Grown()
	width := a.columns()
	if len(piece.Text) < a.reply.looked+growRows*a.theme.Prose(width) {
		return
	}
	a.reply.looked = len(piece.Text)
	rows := a.md.Piece(piece, width)
	if len(rows) < grown+2*growRows {
		return
	}
	if settled := a.md.Settled(piece, rows, width); settled > grown {
		kind := transcript.Text
		if piece.More {
			kind = transcript.More
		}
		a.endHeld()
		a.transcript.Grow(kind, rows[:settled])
		a.reply.printed = true
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
			return style.Tail(piece.Text, t.Prose(width), room)
		}
		rows := md.Piece(piece, width)
		rows = rows[min(grown, len(rows)):]
		rows = rows[max(0, len(rows)-room):]
		for i, row := range rows { // code may be wider than the live part
			rows[i] = style.Truncate(row, width)
		}
		return rows
	}
	return dimTail(t, string(r.thought), t.Prose(width), min(3, room))
}

// layPiece arranges a piece of a reply by the renderer of the theme that is in use then.
func (a *activity) layPiece(piece markdown.Piece) transcript.Lay {
	return func(_ *style.Theme, width int) []string { return a.md.Piece(piece, width) }
}

// printReply prints closed blocks of the reply.
func (a *activity) printReply(blocks []markdown.Piece) {
	for _, block := range blocks {
		a.reply.looked = 0
		if a.transcript.Growing() {
			a.again = !a.transcript.Finish(a.layPiece(block), a.theme, a.columns()) || a.again
			continue
		}
		kind := transcript.Text
		if block.More {
			kind = transcript.More
		}
		a.print(kind, a.layPiece(block))
		a.reply.printed = true
	}
}

// endThinking replaces the thinking on the screen by a line.
func (a *activity) endThinking() {
	if !a.reply.thinking() {
		return
	}
	took := a.opts.Now().Sub(a.reply.thoughtSince)
	thought := strings.TrimSpace(string(a.reply.thought))
	a.outputs.add(output{Page: pager.Page{Title: "reasoning", Lay: proseLay(thought)}})
	a.reply.thought, a.reply.thoughtSince = nil, time.Time{}
	if took >= time.Second {
		a.note(dim, "·", "thought for "+words.Elapsed(took))
	}
}

// endReply prints what is left of the reply. whole is all of its text, for replies
// that came in one piece.
func (a *activity) endReply(whole string) {
	a.endThinking()
	blocks := a.reply.text.End()
	if len(blocks) == 0 && !a.reply.printed {
		var once markdown.Stream
		blocks = append(once.Add(whole), once.End()...)
	}
	a.printReply(blocks)
	a.reply = reply{}
}

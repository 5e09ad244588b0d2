package tui

import (
	"strings"
	"time"

	"agent/internal/base/humanize"
	"agent/internal/tui/markdown"
	"agent/internal/tui/pager"
	"agent/internal/tui/style"
	"agent/internal/tui/transcript"
)

// reply holds the model's answer while it arrives: first reasoning, then text. The closed blocks of the
// text are already in the scrollback.
type reply struct {
	text markdown.Stream
	// printed is set once a block of this reply has been printed.
	printed bool
	// looked is the length, in bytes, of the open block when grow last examined it.
	looked int

	thought      []byte
	thoughtSince time.Time
}

// thoughtKept limits the bytes of reasoning that are kept, from the end.
const thoughtKept = 64 << 10

func (r *reply) thinking() bool { return !r.thoughtSince.IsZero() }

func (r *reply) addThinking(delta string, now time.Time) {
	if !r.thinking() {
		r.thoughtSince = now
	}
	r.thought = humanize.KeepEnd(append(r.thought, delta...), thoughtKept)
}

// maxOpen is the size, in bytes, up to which the open block is rendered with every frame. If the block is
// larger, such as a table of many rows, its end is shown as plain text.
const maxOpen = 8 << 10

// growRows is the number of rows by which an open block must grow before grow examines it again.
const growRows = 2

// grow prints the rows of an open paragraph that more text cannot change.
func (a *activity) grow() {
	piece, ok := a.reply.text.OpenPiece()
	if !ok || len(piece.Text) > maxOpen || a.surface.plain {
		return // in plain mode a printed row cannot be replaced
	}
	grown := a.surface.transcript.GrownRows()
	width := a.surface.columns()
	if len(piece.Text) < a.reply.looked+growRows*a.surface.theme.ProseWidth(width) {
		return
	}
	a.reply.looked = len(piece.Text)
	rows := a.surface.md.RenderPiece(piece, width)
	if len(rows) < grown+2*growRows {
		return
	}
	if settled := a.surface.md.SettledRows(piece, rows, width); settled > grown {
		kind := transcript.KindText
		if piece.More {
			kind = transcript.KindContinuation
		}
		a.surface.endHeld()
		a.surface.transcript.Grow(kind, rows[:settled])
		a.reply.printed = true
	}
}

// view returns the end of the open block, as it will look when closed. It omits the first grown rows, which
// were already printed.
func (r *reply) view(t *style.Theme, md *markdown.Renderer, width, room, grown int) []string {
	if room <= 0 {
		return nil
	}
	if piece, ok := r.text.OpenPiece(); ok {
		if len(piece.Text) > maxOpen {
			return style.Tail(piece.Text, t.ProseWidth(width), room)
		}
		rows := md.RenderPiece(piece, width)
		rows = rows[min(grown, len(rows)):]
		rows = rows[max(0, len(rows)-room):]
		for i, row := range rows { // code may be wider than the live part
			rows[i] = style.Truncate(row, width)
		}
		return rows
	}
	return dimTail(t, string(r.thought), t.ProseWidth(width), min(3, room))
}

// layPiece lays out a piece of a reply with the renderer of the current theme.
func (a *activity) layPiece(piece markdown.Piece) transcript.Layout {
	return func(_ *style.Theme, width int) []string { return a.surface.md.RenderPiece(piece, width) }
}

func (a *activity) printReply(blocks []markdown.Piece) {
	for _, block := range blocks {
		a.reply.looked = 0
		if a.surface.transcript.IsGrowing() {
			a.surface.again = !a.surface.transcript.Finish(a.layPiece(block), a.surface.theme, a.surface.columns()) || a.surface.again
			continue
		}
		kind := transcript.KindText
		if block.More {
			kind = transcript.KindContinuation
		}
		a.surface.print(kind, a.layPiece(block))
		a.reply.printed = true
	}
}

// endThinking replaces the reasoning on the screen by a line.
func (a *activity) endThinking() {
	if !a.reply.thinking() {
		return
	}
	took := a.surface.now().Sub(a.reply.thoughtSince)
	thought := strings.TrimSpace(string(a.reply.thought))
	a.outputs.add(output{Page: pager.Page{Title: "reasoning", Layout: proseLay(thought)}})
	a.reply.thought, a.reply.thoughtSince = nil, time.Time{}
	if took >= time.Second {
		a.surface.note(dim, "·", "thought for "+humanize.Elapsed(took))
	}
}

// endReply prints the rest of the reply. whole is its complete text, for a reply that was not streamed.
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

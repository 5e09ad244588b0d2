package term

import (
	"bytes"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"

	"agent/internal/tui/style"
)

// Frame is the content for the terminal: lines for the scrollback, and the live part below them.
type Frame struct {
	// Printed holds the lines for the scrollback, above the live part.
	Printed []string
	// Reset is set if Printed is the whole content. The window and the scrollback are emptied first.
	Reset bool
	// Live is the whole live part. It must be lower than the window, and at least one cell narrower.
	Live []string
	// Row and Col are the position of the cursor in the live part.
	Row, Col int
	// Width and Height are the size of the window for which the frame was made.
	Width, Height int
	// At is the time at which the frame was made.
	At time.Time
	// Full is a page that covers the window, on the terminal's alternate screen, or nil for none. Lines
	// that are printed in the meantime are kept for later.
	Full []string
	// Bell is set if the bell must ring.
	Bell bool
	// Sequence is sent unchanged, for example to set the clipboard or the title.
	Sequence string
}

// Screen paints frames. It is the only code that writes to the terminal, and it makes every row safe with
// style.Seal. Each frame is a single write of scrollback and live part, so that no content is shown twice
// or not at all. If a frame arrives while another is being written, it replaces the waiting frame. Printed
// lines stay in order.
type Screen struct {
	out io.Writer

	mu      sync.Mutex
	next    Frame
	waiting bool
	wake    chan struct{}
	done    chan struct{}

	// painting guards the fields below. shown is the frame that was painted last.
	painting sync.Mutex
	shown    Frame
	// full is set while the terminal's alternate screen is shown. page is its content. kept holds the frame
	// with the lines printed in the meantime.
	full    bool
	page    []string
	kept    Frame
	tallest tallest
	// size returns the current size of the window. It is nil in tests that never resize.
	size func() (width, height int)
}

// NewScreen returns a screen whose painter runs until Close. size returns the current size of the window.
// If it is nil, the size never changes.
func NewScreen(out io.Writer, size func() (width, height int)) *Screen {
	s := &Screen{out: out, size: size, wake: make(chan struct{}, 1), done: make(chan struct{})}
	go s.serve()
	return s
}

// Post passes a frame to the painter and returns immediately.
func (s *Screen) Post(f Frame) {
	s.mu.Lock()
	if s.waiting {
		f = s.next.merge(f)
	}
	s.next, s.waiting = f, true
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// merge merges two frames into one, of which only the later live part is painted.
func (f Frame) merge(later Frame) Frame {
	if !later.Reset {
		later.Printed = append(f.Printed, later.Printed...)
		later.Reset = f.Reset
	}
	later.Bell = later.Bell || f.Bell
	later.Sequence = f.Sequence + later.Sequence
	return later
}

func (s *Screen) serve() {
	defer close(s.done)
	for range s.wake {
		s.Flush()
	}
}

// Flush paints the waiting frame. A frame for another window size keeps waiting: the size has changed, and
// a frame for the new size will follow.
func (s *Screen) Flush() {
	s.painting.Lock()
	defer s.painting.Unlock()
	s.mu.Lock()
	if s.waiting && !s.fits(s.next) {
		s.mu.Unlock()
		return
	}
	f, ok := s.next, s.waiting
	s.next, s.waiting = Frame{}, false
	s.mu.Unlock()
	if !ok {
		return
	}
	var b bytes.Buffer
	s.compose(&b, f)
	if b.Len() > 0 {
		_, _ = s.out.Write(b.Bytes())
	}
}

// fits reports whether a frame was made for the current size of the window.
func (s *Screen) fits(f Frame) bool {
	if s.size == nil {
		return true
	}
	width, height := s.size()
	return width == f.Width && height == f.Height
}

// Close paints the waiting frame, erases the live part and ends the painter. The cursor is then at the
// start of a line below all printed content.
func (s *Screen) Close() {
	close(s.wake)
	<-s.done
	s.size = nil
	s.Flush()
	s.erase()
}

// erase removes the live part before another program uses the terminal.
func (s *Screen) erase() {
	s.painting.Lock()
	defer s.painting.Unlock()
	var b bytes.Buffer
	s.leavePage(&b)
	s.toTop(&b, s.shown.Width)
	for i := range s.shown.Live {
		if i > 0 {
			b.WriteString("\r\n")
		}
		b.WriteString(ansi.EraseLineRight)
	}
	if up := len(s.shown.Live) - 1; up > 0 {
		b.WriteString(ansi.CursorUp(up))
	}
	b.WriteByte('\r')
	_, _ = s.out.Write(b.Bytes())
	s.shown, s.tallest = Frame{Width: s.shown.Width}, tallest{}
}

// compose writes one frame as one synchronized update. If nothing has changed, it writes nothing. It
// ignores errors of the terminal: if the terminal is closed, the keyboard ends the program.
func (s *Screen) compose(b *bytes.Buffer, f Frame) {
	f.Live, f.Printed, f.Full = sealRows(f.Live), sealRows(f.Printed), sealRows(f.Full)
	var body bytes.Buffer
	switch {
	case f.Full != nil:
		s.showPage(&body, f)
	default:
		s.leavePage(&body)
		s.paint(&body, s.kept.merge(f))
		s.kept = Frame{}
	}
	if body.Len() == 0 && !f.Bell && f.Sequence == "" {
		return
	}
	if body.Len() > 0 {
		b.WriteString(ansi.SetModeSynchronizedOutput)
		b.WriteString(ansi.HideCursor)
		b.Write(body.Bytes())
		if f.Full == nil {
			b.WriteString(ansi.ShowCursor)
		}
		b.WriteString(ansi.ResetModeSynchronizedOutput)
	}
	if f.Bell {
		b.WriteByte('\a')
	}
	b.WriteString(f.Sequence)
}

// sealRows returns rows in which the terminal interprets only styles and the links of this program. It does
// not change its argument, which belongs to the model.
func sealRows(rows []string) []string {
	safe := slices.Clone(rows)
	for i, row := range safe {
		safe[i] = style.Seal(row)
	}
	return safe
}

// emptied empties the window, and then the scrollback, because some terminals move the content of the
// window to the scrollback.
const emptied = ansi.CursorHomePosition + ansi.EraseEntireScreen + ansi.EraseEntireDisplay

// paint writes the printed lines and the live part below them. It erases line by line, and never from the
// cursor down. In the first row of the window, some terminals would then move the window's content to the
// scrollback.
func (s *Screen) paint(b *bytes.Buffer, f Frame) {
	if f.Reset {
		b.WriteString(emptied)
		s.shown.Live, s.shown.Row, s.shown.Col = nil, 0, 0
	}
	s.tallest.measure(len(s.shown.Live), f.At)
	moved := f.Row != s.shown.Row || f.Col != s.shown.Col
	again := f.Reset || len(f.Printed) > 0 || f.Width != s.shown.Width
	if !again && !moved && slices.Equal(f.Live, s.shown.Live) {
		return
	}
	if !f.Reset {
		s.toTop(b, f.Width)
	}
	left := len(s.shown.Live)
	for _, line := range f.Printed {
		left -= writeLine(b, line, f.Width)
		b.WriteString("\r\n")
	}
	for i, line := range f.Live {
		if i > 0 {
			b.WriteString("\r\n")
		}
		if !again && i < len(s.shown.Live) && s.shown.Live[i] == line {
			left--
			continue
		}
		left -= writeLine(b, line, f.Width)
	}
	eraseBelow(b, left)
	if up := len(f.Live) - 1 - f.Row; up > 0 {
		b.WriteString(ansi.CursorUp(up))
	}
	b.WriteByte('\r')
	if f.Col > 0 {
		b.WriteString(ansi.CursorForward(f.Col))
	}
	s.shown = Frame{Live: f.Live, Row: f.Row, Col: f.Col, Width: f.Width}
	s.tallest.measure(len(f.Live), f.At)
}

// writeLine overwrites a line and returns the number of rows that it occupies, because a line may be wider
// than the window. It erases the rows first. Erasing after a full row would remove the last character of
// the row.
func writeLine(b *bytes.Buffer, line string, width int) int {
	rows := 1
	if cells := style.Width(line); width > 0 && cells > width {
		rows = (cells + width - 1) / width
	}
	b.WriteString(ansi.EraseLineRight)
	if rows > 1 {
		for range rows - 1 {
			b.WriteString("\r\n" + ansi.EraseLineRight)
		}
		b.WriteString("\r" + ansi.CursorUp(rows-1))
	}
	b.WriteString(line)
	return rows
}

// eraseBelow erases a number of rows below the cursor and moves the cursor back to its row.
func eraseBelow(b *bytes.Buffer, rows int) {
	if rows <= 0 {
		return
	}
	for range rows {
		b.WriteString("\r\n" + ansi.EraseLineRight)
	}
	b.WriteString(ansi.CursorUp(rows))
}

// toTop moves the cursor to the start of the live part. If the window became narrower, the
// terminal has broken the longer lines into several rows.
func (s *Screen) toTop(b *bytes.Buffer, width int) {
	up := s.shown.Row
	if width != s.shown.Width && width > 0 {
		up = s.shown.Col / width
		for _, line := range s.shown.Live[:min(s.shown.Row, len(s.shown.Live))] {
			up += max(1, (style.Width(line)+width-1)/width)
		}
	}
	b.WriteByte('\r')
	if up > 0 {
		b.WriteString(ansi.CursorUp(up))
	}
}

// showPage shows a page on the terminal's alternate screen: as many rows as the window has, without
// scrollback. After a reset it draws every row again, because the last rows are lost if the window was
// lower in the meantime.
func (s *Screen) showPage(b *bytes.Buffer, f Frame) {
	if !s.full {
		b.WriteString(ansi.SetModeAltScreenSaveCursor)
	}
	if !s.full || f.Reset {
		s.full, s.page = true, nil
	}
	s.tallest.measure(len(f.Full), f.At)
	for i, line := range f.Full {
		if i < len(s.page) && s.page[i] == line {
			continue
		}
		b.WriteString(ansi.CursorPosition(1, i+1) + line + ansi.EraseLineRight)
	}
	for i := len(f.Full); i < len(s.page); i++ {
		b.WriteString(ansi.CursorPosition(1, i+1) + ansi.EraseLineRight)
	}
	s.page = f.Full
	f.Full, f.Bell, f.Sequence = nil, false, ""
	s.kept = s.kept.merge(f)
}

// leavePage switches back to the screen with the scrollback.
func (s *Screen) leavePage(b *bytes.Buffer) {
	if s.full {
		b.WriteString(ansi.ResetModeAltScreenSaveCursor)
		s.full, s.page = false, nil
	}
}

// heardWithin is the longest delay before a change of the window's size is reported. A machine under load,
// and a terminal that combines changes, need that time.
const heardWithin = 5 * time.Second

// tallest records the largest height, in rows, of a live part or page that was painted recently. The window
// may have been lower than that before the terminal reports the change.
type tallest struct {
	rows int
	at   time.Time
}

// measure records the height of the live part, or of the page that covers it.
func (t *tallest) measure(rows int, now time.Time) {
	if rows >= t.rows || now.Sub(t.at) > heardWithin {
		*t = tallest{rows, now}
	}
}

// MaxHeight returns the height, in rows, of the tallest live part or page painted recently. Until a change of
// size is reported, frames may have been painted in a window of another size than they were made for.
func (s *Screen) MaxHeight(now time.Time) int {
	s.painting.Lock()
	defer s.painting.Unlock()
	s.tallest.measure(max(len(s.shown.Live), len(s.page)), now)
	return s.tallest.rows
}

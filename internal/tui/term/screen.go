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

// Frame is what the terminal shall show: lines that go to the scrollback, and the
// live part below them.
type Frame struct {
	// Printed leaves for the scrollback, above the live part.
	Printed []string
	// Reset makes Printed all that there is: window and scrollback are emptied first.
	Reset bool
	// Live is the whole live part, lower than the window and narrower by a cell.
	Live []string
	// Row and Col place the cursor in the live part.
	Row, Col int
	// Width and Height are the window's, as the frame was made for it.
	Width, Height int
	// At is when it was made.
	At time.Time
	// Full is a page that covers the window for as long as it is not nil: the
	// terminal's other screen. What is printed meanwhile is kept.
	Full []string
	// Bell rings.
	Bell bool
	// Sequence is sent as it is, for example to set the clipboard or the title.
	Sequence string
}

// Screen paints frames. It is the one place that writes to the terminal, and the one
// place where text is made fit for it (style.Seal), whatever was done to it before: one
// write a frame, scrollback and live part together, so nothing is ever shown
// twice or not at all. A frame that comes while another is being written replaces
// the one that waits; what is to be printed is kept in order.
type Screen struct {
	out io.Writer

	mu      sync.Mutex
	next    Frame
	waiting bool
	wake    chan struct{}
	done    chan struct{}

	// painting guards what follows. shown is the frame that was painted last.
	painting sync.Mutex
	shown    Frame
	// full is set while the terminal's other screen is shown; page is what is on it,
	// kept what was printed meanwhile.
	full    bool
	page    []string
	kept    Frame
	tallest tallest
	// size returns the window's size now; nil in tests that never resize.
	size func() (width, height int)
}

// NewScreen returns a screen whose painter runs until close. size returns the window's
// size now; nil means that it never changes.
func NewScreen(out io.Writer, size func() (width, height int)) *Screen {
	s := &Screen{out: out, size: size, wake: make(chan struct{}, 1), done: make(chan struct{})}
	go s.serve()
	return s
}

// Post hands over a frame and returns at once.
func (s *Screen) Post(f Frame) {
	s.mu.Lock()
	if s.waiting {
		f = s.next.then(f)
	}
	s.next, s.waiting = f, true
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// then is what two frames are when only the later one is painted.
func (f Frame) then(later Frame) Frame {
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

// Flush paints the frame that waits. A frame for a window of another size keeps
// waiting: the window has changed, and a frame for it is on its way.
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

// fits reports whether a frame is for the window as it is now.
func (s *Screen) fits(f Frame) bool {
	if s.size == nil {
		return true
	}
	width, height := s.size()
	return width == f.Width && height == f.Height
}

// Close paints what waits, takes the live part away and ends the painter. The
// cursor is then at the start of a line below everything printed.
func (s *Screen) Close() {
	close(s.wake)
	<-s.done
	s.size = nil
	s.Flush()
	s.erase()
}

// erase takes the live part away, to give the terminal to someone else.
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

// compose writes one frame as one synchronised update, and nothing when nothing
// changes. Errors of the terminal are not handled: when it is gone its reader ends
// the program.
func (s *Screen) compose(b *bytes.Buffer, f Frame) {
	f.Live, f.Printed, f.Full = sealed(f.Live), sealed(f.Printed), sealed(f.Full)
	var body bytes.Buffer
	switch {
	case f.Full != nil:
		s.showPage(&body, f)
	default:
		s.leavePage(&body)
		s.paint(&body, s.kept.then(f))
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

// sealed are rows of which the terminal obeys nothing but styles. The rows themselves
// stay as they are: they are the model's.
func sealed(rows []string) []string {
	safe := slices.Clone(rows)
	for i, row := range safe {
		safe[i] = style.Seal(row)
	}
	return safe
}

// emptied empties the window, and then the scrollback, into which some terminals
// move what was in the window.
const emptied = ansi.CursorHomePosition + ansi.EraseEntireScreen + ansi.EraseEntireDisplay

// paint writes what is printed and the live part below it. It never erases from the
// cursor down, which in the window's first row moves the window to the scrollback in
// some terminals: lines are erased one by one.
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

// writeLine writes a line over what is there and returns how many rows it takes:
// lines may be longer than the window is wide. The row is erased before, because a
// full row would lose its last character after.
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

// eraseBelow erases rows below the cursor's and comes back to it.
func eraseBelow(b *bytes.Buffer, rows int) {
	if rows <= 0 {
		return
	}
	for range rows {
		b.WriteString("\r\n" + ansi.EraseLineRight)
	}
	b.WriteString(ansi.CursorUp(rows))
}

// toTop moves the cursor to the start of the live part. A window that became
// narrower has broken the longer lines of it into several rows.
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

// showPage shows a page on the terminal's other screen: its rows, as many as the
// window has, and no scrollback. After a change of size nothing on it counts as known:
// a window that was lower in between has lost the last rows.
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
	s.kept = s.kept.then(f)
}

// leavePage returns to the screen with the scrollback.
func (s *Screen) leavePage(b *bytes.Buffer) {
	if s.full {
		b.WriteString(ansi.ResetModeAltScreenSaveCursor)
		s.full, s.page = false, nil
	}
}

// heardWithin is how late a change of the window's size may be reported, on a machine under
// load by a terminal that collects changes.
const heardWithin = 5 * time.Second

// tallest is the tallest live part or page that was painted lately: the window may have
// been lower than that before the program hears of it.
type tallest struct {
	rows int
	at   time.Time
}

// measure notes the height of the live part, or of the page above it.
func (t *tallest) measure(rows int, now time.Time) {
	if rows >= t.rows || now.Sub(t.at) > heardWithin {
		*t = tallest{rows, now}
	}
}

// Tallest is how many rows the tallest live part or page has that may have been painted in a
// window of another size than it was made for, when a change of size is reported now.
func (s *Screen) Tallest(now time.Time) int {
	s.painting.Lock()
	defer s.painting.Unlock()
	s.tallest.measure(max(len(s.shown.Live), len(s.page)), now)
	return s.tallest.rows
}

package term

import (
	"bytes"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/charmbracelet/x/ansi"

	"agent/internal/tui/style"
)

// Frame is what the terminal shall show: lines that go to the scrollback, and the
// live part below them.
type Frame struct {
	// Printed leaves for the scrollback, above the live part.
	Printed []string
	// Live is the whole live part, lower than the window and narrower by a cell.
	Live []string
	// Row and col place the cursor in the live part.
	Row, Col int
	// Width is the window's.
	Width int
	// Bell rings.
	Bell bool
	// Clear empties the window first.
	Clear bool
	// Clipboard is a sequence that sets the clipboard, empty for none.
	Clipboard string
}

// Screen paints frames. It is the one place that writes to the terminal, one
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

	// painting guards what follows: the last painted live part and where the
	// cursor was left in it.
	painting sync.Mutex
	live     []string
	row, col int
	width    int
}

// NewScreen returns a screen whose painter runs until close.
func NewScreen(out io.Writer) *Screen {
	s := &Screen{out: out, wake: make(chan struct{}, 1), done: make(chan struct{})}
	go s.serve()
	return s
}

// Post hands over a frame and returns at once.
func (s *Screen) Post(f Frame) {
	s.mu.Lock()
	if s.waiting {
		f.Printed = append(s.next.Printed, f.Printed...)
		f.Bell = f.Bell || s.next.Bell
		f.Clear = f.Clear || s.next.Clear
		if f.Clipboard == "" {
			f.Clipboard = s.next.Clipboard
		}
	}
	s.next, s.waiting = f, true
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *Screen) serve() {
	defer close(s.done)
	for range s.wake {
		s.Flush()
	}
}

// Flush paints the frame that waits.
func (s *Screen) Flush() {
	s.painting.Lock()
	defer s.painting.Unlock()
	s.mu.Lock()
	f, ok := s.next, s.waiting
	s.next, s.waiting = Frame{}, false
	s.mu.Unlock()
	if ok {
		s.paint(f)
	}
}

// Close paints what waits, takes the live part away and ends the painter. The
// cursor is then at the start of a line below everything printed.
func (s *Screen) Close() {
	close(s.wake)
	<-s.done
	s.Flush()
	s.erase()
}

// erase takes the live part away, to give the terminal to someone else.
func (s *Screen) erase() {
	s.painting.Lock()
	defer s.painting.Unlock()
	var b bytes.Buffer
	s.toTop(&b, s.width)
	b.WriteString(ansi.EraseScreenBelow)
	_, _ = s.out.Write(b.Bytes())
	s.live, s.row, s.col = nil, 0, 0
}

// paint writes one frame. Errors of the terminal are not handled: when it is gone
// its reader ends the program.
func (s *Screen) paint(f Frame) {
	var b bytes.Buffer
	b.WriteString(ansi.SetModeSynchronizedOutput)
	b.WriteString(ansi.HideCursor)
	s.toTop(&b, f.Width)
	if f.Clear {
		b.WriteString(ansi.EraseEntireScreen + ansi.CursorHomePosition)
	}
	if f.Clear || len(f.Printed) > 0 || f.Width != s.width {
		b.WriteString(ansi.EraseScreenBelow)
		for _, line := range f.Printed {
			b.WriteString(line)
			b.WriteString("\r\n")
		}
		b.WriteString(strings.Join(f.Live, "\r\n"))
	} else {
		s.difference(&b, f.Live)
	}
	if up := len(f.Live) - 1 - f.Row; up > 0 {
		b.WriteString(ansi.CursorUp(up))
	}
	b.WriteByte('\r')
	if f.Col > 0 {
		b.WriteString(ansi.CursorForward(f.Col))
	}
	b.WriteString(ansi.ShowCursor)
	if f.Bell {
		b.WriteByte('\a')
	}
	b.WriteString(f.Clipboard)
	b.WriteString(ansi.ResetModeSynchronizedOutput)
	_, _ = s.out.Write(b.Bytes())
	s.live, s.row, s.col, s.width = f.Live, f.Row, f.Col, f.Width
}

// toTop moves the cursor to the start of the live part. A window that became
// narrower has broken the longer lines of it into several rows.
func (s *Screen) toTop(b *bytes.Buffer, width int) {
	up := s.row
	if width != s.width && width > 0 {
		up = s.col / width
		for _, line := range s.live[:min(s.row, len(s.live))] {
			up += max(1, (style.Width(line)+width-1)/width)
		}
	}
	b.WriteByte('\r')
	if up > 0 {
		b.WriteString(ansi.CursorUp(up))
	}
}

// difference writes the lines that changed. The cursor starts at the top of the
// live part and ends on its last line.
func (s *Screen) difference(b *bytes.Buffer, live []string) {
	if slices.Equal(live, s.live) {
		if n := len(live) - 1; n > 0 {
			b.WriteString("\x1b[" + strconv.Itoa(n) + "B")
		}
		return
	}
	for i, line := range live {
		last := i == len(live)-1
		if i >= len(s.live) || s.live[i] != line || last && len(s.live) > len(live) {
			b.WriteString(line)
			if last {
				b.WriteString(ansi.EraseScreenBelow)
			} else {
				b.WriteString(ansi.EraseLineRight)
			}
		}
		if !last {
			b.WriteString("\r\n")
		}
	}
}

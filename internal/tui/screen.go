package tui

import (
	"bytes"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/charmbracelet/x/ansi"
)

// frame is what the terminal shall show: lines that go to the scrollback, and the
// live part below them.
type frame struct {
	// printed leaves for the scrollback, above the live part.
	printed []string
	// live is the whole live part, lower than the window and narrower by a cell.
	live []string
	// row and col place the cursor in the live part.
	row, col int
	// width is the window's.
	width int
	// bell rings.
	bell bool
	// clear empties the window first.
	clear bool
	// clipboard is a sequence that sets the clipboard, empty for none.
	clipboard string
}

// screen paints frames. It is the one place that writes to the terminal, one
// write a frame, scrollback and live part together, so nothing is ever shown
// twice or not at all. A frame that comes while another is being written replaces
// the one that waits; what is to be printed is kept in order.
type screen struct {
	out io.Writer

	mu      sync.Mutex
	next    frame
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

// newScreen returns a screen whose painter runs until close.
func newScreen(out io.Writer) *screen {
	s := &screen{out: out, wake: make(chan struct{}, 1), done: make(chan struct{})}
	go s.serve()
	return s
}

// post hands over a frame and returns at once.
func (s *screen) post(f frame) {
	s.mu.Lock()
	if s.waiting {
		f.printed = append(s.next.printed, f.printed...)
		f.bell = f.bell || s.next.bell
		f.clear = f.clear || s.next.clear
		if f.clipboard == "" {
			f.clipboard = s.next.clipboard
		}
	}
	s.next, s.waiting = f, true
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *screen) serve() {
	defer close(s.done)
	for range s.wake {
		s.flush()
	}
}

// flush paints the frame that waits.
func (s *screen) flush() {
	s.painting.Lock()
	defer s.painting.Unlock()
	s.mu.Lock()
	f, ok := s.next, s.waiting
	s.next, s.waiting = frame{}, false
	s.mu.Unlock()
	if ok {
		s.paint(f)
	}
}

// close paints what waits, takes the live part away and ends the painter. The
// cursor is then at the start of a line below everything printed.
func (s *screen) close() {
	close(s.wake)
	<-s.done
	s.flush()
	s.erase()
}

// erase takes the live part away, to give the terminal to someone else.
func (s *screen) erase() {
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
func (s *screen) paint(f frame) {
	var b bytes.Buffer
	b.WriteString(ansi.SetModeSynchronizedOutput)
	b.WriteString(ansi.HideCursor)
	s.toTop(&b, f.width)
	if f.clear {
		b.WriteString(ansi.EraseEntireScreen + ansi.CursorHomePosition)
	}
	if f.clear || len(f.printed) > 0 || f.width != s.width {
		b.WriteString(ansi.EraseScreenBelow)
		for _, line := range f.printed {
			b.WriteString(line)
			b.WriteString("\r\n")
		}
		b.WriteString(strings.Join(f.live, "\r\n"))
	} else {
		s.difference(&b, f.live)
	}
	if up := len(f.live) - 1 - f.row; up > 0 {
		b.WriteString(ansi.CursorUp(up))
	}
	b.WriteByte('\r')
	if f.col > 0 {
		b.WriteString(ansi.CursorForward(f.col))
	}
	b.WriteString(ansi.ShowCursor)
	if f.bell {
		b.WriteByte('\a')
	}
	b.WriteString(f.clipboard)
	b.WriteString(ansi.ResetModeSynchronizedOutput)
	_, _ = s.out.Write(b.Bytes())
	s.live, s.row, s.col, s.width = f.live, f.row, f.col, f.width
}

// toTop moves the cursor to the start of the live part. A window that became
// narrower has broken the longer lines of it into several rows.
func (s *screen) toTop(b *bytes.Buffer, width int) {
	up := s.row
	if width != s.width && width > 0 {
		up = s.col / width
		for _, line := range s.live[:min(s.row, len(s.live))] {
			up += max(1, (textWidth(line)+width-1)/width)
		}
	}
	b.WriteByte('\r')
	if up > 0 {
		b.WriteString(ansi.CursorUp(up))
	}
}

// difference writes the lines that changed. The cursor starts at the top of the
// live part and ends on its last line.
func (s *screen) difference(b *bytes.Buffer, live []string) {
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

package term

import (
	"bytes"

	"github.com/charmbracelet/x/ansi"
)

// showPage shows a page on the terminal's other screen: its rows, as many as the
// window has, and no scrollback.
func (s *Screen) showPage(b *bytes.Buffer, f Frame) {
	if !s.full {
		b.WriteString(ansi.SetModeAltScreenSaveCursor)
		s.full, s.page = true, nil
	}
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

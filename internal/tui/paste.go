package tui

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// pasteStore hands pastes from the reader to the model, out of the way of Bubble
// Tea's key parser.
type pasteStore struct {
	mu   sync.Mutex
	next int
	held map[string]string
}

// put stores a paste and returns its ticket.
func (s *pasteStore) put(text string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held == nil {
		s.held = map[string]string{}
	}
	s.next++
	ticket := strconv.Itoa(s.next)
	s.held[ticket] = text
	return ticket
}

// take removes a paste.
func (s *pasteStore) take(ticket string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := s.held[ticket]
	delete(s.held, ticket)
	return text
}

// Pastes longer than this are shown as a placeholder.
const (
	inlinePasteLines = 8
	inlinePasteRunes = 1000
)

// Placeholders stand in the text for long pastes as single characters of the last
// private use plane, so that the cursor steps over them and Backspace removes
// them as a whole. Such characters never come from outside, see cleanInput.
const (
	firstPlaceholder = '\U00100000'
	lastPlaceholder  = '\U0010FFFD'
)

func isPlaceholder(r rune) bool { return r >= firstPlaceholder && r <= lastPlaceholder }

// pastes are the long pastes of one editor by placeholder.
type pastes []string

// insertion returns what to insert for a paste: itself, or a placeholder.
func (p *pastes) insertion(text string) string {
	text = cleanInput(text)
	if strings.Count(text, "\n") < inlinePasteLines && utf8.RuneCountInString(text) <= inlinePasteRunes {
		return text
	}
	if firstPlaceholder+rune(len(*p)) > lastPlaceholder {
		return text
	}
	*p = append(*p, text)
	return string(firstPlaceholder + rune(len(*p)-1))
}

// label is what a placeholder looks like.
func (p pastes) label(r rune) string {
	text := p.content(r)
	if lines := strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1; lines > 1 {
		return fmt.Sprintf("[pasted %d lines]", lines)
	}
	return fmt.Sprintf("[pasted %d characters]", utf8.RuneCountInString(text))
}

func (p pastes) content(r rune) string {
	if i := int(r - firstPlaceholder); i >= 0 && i < len(p) {
		return p[i]
	}
	return ""
}

// expand replaces the placeholders in text by what was pasted.
func (p pastes) expand(text string) string {
	if len(p) == 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if isPlaceholder(r) {
			b.WriteString(p.content(r))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// cleanInput makes text fit for the editor: line ends are \n, and control
// characters, invalid bytes and placeholders from outside are gone.
func cleanInput(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\r':
			return '\n'
		case r == '\n' || r == '\t':
			return r
		case r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0:
			return -1
		case isPlaceholder(r) || r == utf8.RuneError:
			return '�'
		}
		return r
	}, text)
}

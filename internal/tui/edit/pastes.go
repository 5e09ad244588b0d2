package edit

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Pastes longer than this are shown as a placeholder.
const (
	inlinePasteLines = 8
	inlinePasteRunes = 1000
)

// Placeholders stand in the text for long pastes as single characters of the last
// private use plane, so that the cursor steps over them and Backspace removes
// them as a whole. Such characters never come from outside, see cleanInput.
const (
	FirstPlaceholder = '\U00100000'
	lastPlaceholder  = '\U0010FFFD'
)

func isPlaceholder(r rune) bool { return r >= FirstPlaceholder && r <= lastPlaceholder }

// pastes are the long pastes of one editor by placeholder.
type pastes []string

// insertion returns what to insert for a paste: itself, or a placeholder.
func (p *pastes) insertion(text string) string {
	text = CleanInput(text)
	if strings.Count(text, "\n") < inlinePasteLines && utf8.RuneCountInString(text) <= inlinePasteRunes {
		return text
	}
	if FirstPlaceholder+rune(len(*p)) > lastPlaceholder {
		return text
	}
	*p = append(*p, text)
	return string(FirstPlaceholder + rune(len(*p)-1))
}

// Label is what a placeholder looks like.
func (p pastes) Label(r rune) string {
	text := p.content(r)
	if lines := strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1; lines > 1 {
		return fmt.Sprintf("[pasted %d lines]", lines)
	}
	return fmt.Sprintf("[pasted %d characters]", utf8.RuneCountInString(text))
}

func (p pastes) content(r rune) string {
	if i := int(r - FirstPlaceholder); i >= 0 && i < len(p) {
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

// CleanInput makes text fit for the editor: line ends are \n, and control
// characters, invalid bytes and placeholders from outside are gone.
func CleanInput(text string) string {
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

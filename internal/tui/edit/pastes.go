package edit

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"agent/internal/atcmd"
	"agent/internal/history"
)

// Longer pastes, by lines or by characters, are shown as a placeholder.
const (
	inlinePasteLines = 8
	inlinePasteRunes = 1000
)

// In the text, each long paste is a single character from the last private use plane. So the cursor skips
// it, and Backspace removes it as a whole. CleanInput removes such characters from inserted text.
const (
	FirstPlaceholder = '\U00100000'
	lastPlaceholder  = '\U0010FFFD'
)

func isPlaceholder(r rune) bool { return r >= FirstPlaceholder && r <= lastPlaceholder }

// pastes holds the pastes of one editor that its placeholders represent.
type pastes []paste

type paste struct {
	text string
	// written is set if the user wrote the text, in an external editor.
	written bool
	// image is the path of the image that the text represents, or "" for text.
	image string
}

// insertion returns the text to insert for a paste. It is a placeholder if the paste is long, or has
// several lines and an @. Otherwise it is the text itself, with placeholders for the characters that would
// have a special meaning if they were typed.
func (p *pastes) insertion(text string) string {
	text = CleanInput(text)
	if isLong(text) || strings.Contains(strings.TrimSpace(text), "\n") && strings.Contains(text, "@") {
		return p.placeholder(paste{text: text})
	}
	var b strings.Builder
	for i, r := range text {
		if r == '@' || i == 0 && (r == '/' || r == '!') {
			b.WriteString(p.placeholder(paste{text: string(r)}))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// long returns text itself, or a placeholder if it is long.
func (p *pastes) long(text string) string {
	if text = CleanInput(text); !isLong(text) {
		return text
	}
	return p.placeholder(paste{text: text, written: true})
}

func isLong(text string) bool {
	return strings.Count(text, "\n") >= inlinePasteLines || utf8.RuneCountInString(text) > inlinePasteRunes
}

// placeholder returns the character that represents a paste, the same character for equal pastes. If no
// character is left, it returns the pasted text itself.
func (p *pastes) placeholder(pasted paste) string {
	i := slices.Index(*p, pasted)
	if i < 0 {
		i = len(*p)
		if FirstPlaceholder+rune(i) > lastPlaceholder {
			return pasted.text
		}
		*p = append(*p, pasted)
	}
	return string(FirstPlaceholder + rune(i))
}

// Label returns the text shown for a placeholder.
func (p pastes) Label(r rune) string {
	text := p.content(r)
	if len(text) == 1 || p[r-FirstPlaceholder].image != "" {
		return text
	}
	if lines := strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1; lines > 1 {
		return fmt.Sprintf("[pasted %d lines]", lines)
	}
	return fmt.Sprintf("[pasted %d characters]", utf8.RuneCountInString(text))
}

func (p pastes) content(r rune) string {
	if i := int(r - FirstPlaceholder); i >= 0 && i < len(p) {
		return p[i].text
	}
	return ""
}

// expand replaces the placeholders in text by their contents.
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

// message returns text with its placeholders replaced, divided into typed and pasted parts.
func (p pastes) message(text string) atcmd.Message {
	var message atcmd.Message
	var typed strings.Builder
	for _, r := range text {
		i := int(r - FirstPlaceholder)
		if i < 0 || i >= len(p) || p[i].written {
			typed.WriteString(p.expand(string(r)))
			continue
		}
		pasted := atcmd.Part{Text: p[i].text, Image: p[i].image}
		if pasted.Image == "" {
			pasted.Source = history.SourcePasted
		}
		message = append(message, atcmd.Part{Text: typed.String()}, pasted)
		typed.Reset()
	}
	message = append(message, atcmd.Part{Text: typed.String()})
	return slices.DeleteFunc(message, func(part atcmd.Part) bool { return part.Text == "" })
}

// DisplayText returns a message as the editor shows it, with labels for its long pastes.
func DisplayText(message atcmd.Message) string {
	var shown strings.Builder
	for _, part := range message {
		text := part.Text
		if part.Source != "" {
			text = pastes{{text: text}}.Label(FirstPlaceholder)
		}
		shown.WriteString(text)
	}
	return shown.String()
}

// CleanInput makes text fit for the editor: line ends become \n, and control characters, invalid
// bytes and placeholders from outside are removed or replaced.
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

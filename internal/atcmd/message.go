package atcmd

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/base/humanize"
	"agent/internal/history"
)

// A Message holds the parts of a user's message in order: typed, pasted and piped text. Only
// typed text is searched for @ (D-46).
type Message []Part

// A Part is a piece of a message. Its JSON form is stored for a waiting message in the session log.
type Part struct {
	Text string `json:"text,omitempty"`
	// Source is the origin of the text, empty for typed text.
	Source history.Source `json:"source,omitempty"`
	// Image is the path of an image file that the user attached, empty for text. The file may lie
	// outside the workspace. Text represents the image in the sentence.
	Image string `json:"image,omitempty"`
	// File is a path that the message includes although the user did not type it. Text is then
	// empty.
	File string `json:"file,omitempty"`
}

// ImagePart returns the part for an image that a user picked by hand.
func ImagePart(path string) Part {
	return Part{Text: "[image " + humanize.EscapeInvisible(filepath.Base(path)) + "]", Image: path}
}

// TypedMessage returns a message of typed text.
func TypedMessage(text string) Message { return Message{{Text: text}} }

// Text returns the whole message in the form that a user sees.
func (m Message) Text() string {
	var b strings.Builder
	for _, part := range m {
		b.WriteString(part.Text)
	}
	return b.String()
}

// Join returns messages as one message, with a blank line between two.
func Join(messages []Message) (all Message) {
	for i, m := range messages {
		if i > 0 {
			all = append(all, Part{Text: "\n\n"})
		}
		all = append(all, m...)
	}
	return all
}

// Trim returns the message without white space at its ends.
func (m Message) Trim() Message {
	const blanks = " \t\r\n"
	m = slices.Clone(m)
	for len(m) > 0 {
		if m[0].Text = strings.TrimLeft(m[0].Text, blanks); m[0].Text != "" {
			break
		}
		m = m[1:]
	}
	for last := len(m) - 1; last >= 0; last-- {
		if m[last].Text = strings.TrimRight(m[last].Text, blanks); m[last].Text != "" {
			break
		}
		m = m[:last]
	}
	return m
}

// FirstTypedByte returns the first character of a message that begins with typed text, otherwise 0. The
// caller checks whether it marks a command.
func (m Message) FirstTypedByte() byte {
	if len(m) == 0 || m[0].Source != "" || m[0].Text == "" {
		return 0
	}
	return m[0].Text[0]
}

// A passage is text that becomes one block of the history.
type passage struct {
	text string
	// data lists the [start, end) offsets of pasted words in typed text.
	data   spans
	source history.Source
}

// passages splits a message into passages. A pasted word stays in its sentence; pasted lines become
// a separate passage.
func (m Message) passages() []passage {
	var all []passage
	var typed passage
	for _, part := range m {
		switch {
		case part.Source == "" && part.Image == "":
			typed.text += part.Text
		case part.Image != "" || part.Source == history.SourcePasted && !strings.Contains(strings.TrimSpace(part.Text), "\n"):
			start := len(typed.text)
			typed.text += part.Text
			typed.data = append(typed.data, [2]int{start, len(typed.text)})
		default:
			all = append(all, typed, passage{text: part.Text, source: part.Source})
			typed = passage{}
		}
	}
	all = append(all, typed)
	said := all[:0]
	for _, p := range all {
		if len(all) == 1 || strings.TrimSpace(p.text) != "" {
			said = append(said, p)
		}
	}
	return said
}

// block returns the block of a passage. alone is set if the passage is the whole message: data is
// then the prompt itself and needs no title.
func (p passage) block(alone bool) history.Block {
	switch {
	case p.source == "":
		return &history.Text{Text: plain(p.text, p.data)}
	case alone:
		return &history.Text{Text: p.text, Source: p.source}
	case p.source == history.SourcePiped:
		return history.NewData(p.source, "Piped in"+lineCount(p.text)+":", p.text)
	default:
		return history.NewData(p.source, "Pasted"+lineCount(p.text)+":", p.text)
	}
}

func lineCount(text string) string {
	if n := strings.Count(strings.TrimRight(text, "\n"), "\n") + 1; n > 1 {
		return fmt.Sprintf(" (%d lines)", n)
	}
	return ""
}

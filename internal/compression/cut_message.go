package compression

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"agent/internal/base/humanize"
	"agent/internal/history"
)

// metaCut is the metadata key that marks a message cut to its beginning and its end.
const metaCut = "cutMessage"

// imageLeftOut is the beginning of the line that replaces an image.
const imageLeftOut = "[an image was left out to fit the context limit"

// leastMessage is the smallest number of tokens of a message worth sending. A window with less room
// besides the system prompt and the tools is too small for any message.
const leastMessage = 64

// CutMessage cuts the long texts of the user's latest message to their beginning and end, with a note
// about the omitted part. The message then uses at most half of the room that remains besides system
// prompt, tools and reserve. The rest is for the work on the message. Short texts are kept whole. If
// that is not enough, images are removed. The ledger lists the parts that were cut, numbered from
// first. CutMessage returns false if there is nothing to cut, or no room even then.
func CutMessage(c Context, first int) ([]*history.Content, bool) {
	_, at := outerHumans(c.History)
	room := (c.ContextLimit - c.Reserve - c.Overhead) / 2
	if at < 0 || room < leastMessage || c.Tokens[at] <= room {
		return c.History, false
	}
	cut := messageCut{Context: c, message: c.History[at], first: first}
	short := cut.to(room)
	if short == nil {
		return c.History, false
	}
	entries := slices.Clone(c.History)
	entries[at] = short
	return entries, true
}

// A messageCut shortens a message that is too long.
type messageCut struct {
	Context
	message *history.Content
	first   int
}

// to returns the message cut to at most room tokens, or nil if that is impossible.
func (m messageCut) to(room int) *history.Content {
	for _, images := range []bool{true, false} {
		short := m.fitted(len(m.message.Text()), room, func(bytes int) *history.Content {
			return m.message.WithBlocks(m.blocks(bytes, images)).WithMeta(metaCut, true)
		})
		if short != nil {
			return short
		}
	}
	return nil
}

// blocks returns the blocks of the message, with its texts cut to the given total number of bytes.
// Images are kept only if images is set.
func (m messageCut) blocks(bytes int, images bool) []history.Block {
	most := m.longest(bytes)
	blocks, number := slices.Clone(m.message.Blocks), m.first
	for i, block := range blocks {
		switch b := block.(type) {
		case *history.Text:
			if len(b.Text) > most {
				short := *b
				short.Text = m.shortened(b, most, number)
				blocks[i] = &short
				number++
			}
		case *history.Media:
			if !images {
				blocks[i] = &history.Text{Text: imageLeftOut + m.way(nil, number) + "]"}
				number++
			}
		}
	}
	return blocks
}

// longest returns the size to which each text must be cut so that all together have the given number of
// bytes. Short texts use less than an equal share, and long texts share the rest.
func (m messageCut) longest(bytes int) int {
	var sizes []int
	for _, block := range m.message.Blocks {
		if text, ok := block.(*history.Text); ok {
			sizes = append(sizes, len(text.Text))
		}
	}
	slices.Sort(sizes)
	for i, size := range sizes {
		share := bytes / (len(sizes) - i)
		if size > share {
			return share
		}
		bytes -= size
	}
	return math.MaxInt
}

// shortened returns the beginning and the end of a text with a note between them. It cuts at line ends
// if the lines are not long.
func (m messageCut) shortened(text *history.Text, most, number int) string {
	head, tail := cutAround(text.Text, most)
	before, left := strings.Count(head, "\n"), text.Text[len(head):len(text.Text)-len(tail)]
	note := fmt.Sprintf("[… %d bytes, from line %d to line %d, were left out to fit the context limit%s …]",
		len(left), 1+before, 1+before+strings.Count(strings.TrimSuffix(left, "\n"), "\n"), m.way(text, number))
	return strings.ToValidUTF8(strings.TrimSuffix(head, "\n"), "") + "\n" + note + "\n" + strings.ToValidUTF8(tail, "")
}

// way returns the sentence for the model on how to read the omitted part of the message.
func (m messageCut) way(text *history.Text, number int) string {
	file := ""
	if text != nil && text.IncludedFile != "" {
		file = "; the file is " + humanize.Line(text.IncludedFile, maxPath)
	}
	switch {
	case m.TranscriptPath != "":
		return fmt.Sprintf(`%s; the session log has all of it: call recall with {"number":%d,"offset":LINE}`, file, number)
	case file != "":
		return file
	}
	return "; the session has no log, so ask for the part that you need"
}

// cutAround returns the beginning and the end of a text that is longer than most bytes: two thirds and
// one third of most. Each is cut at a line break if one is near.
func cutAround(text string, most int) (head, tail string) {
	head, tail = text[:most*2/3], text[len(text)-most/3:]
	if i := strings.LastIndexByte(head, '\n'); i > len(head)/2 {
		head = head[:i+1]
	}
	if i := strings.IndexByte(tail, '\n'); i >= 0 && i < len(tail)/2 {
		tail = tail[i+1:]
	}
	return head, tail
}

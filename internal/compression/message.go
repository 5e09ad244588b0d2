package compression

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"agent/internal/history"
	"agent/internal/words"
)

// metaCut is the key of the metadata of a message of which only the beginning and the end
// are left.
const metaCut = "cutMessage"

// imageLeftOut begins the line in the place of an image.
const imageLeftOut = "[an image was left out to fit the context limit"

// leastMessage is how many tokens of a message are worth sending. A window that has no
// room for them beside its head is too small for any.
const leastMessage = 64

// CutMessage leaves of the user's latest message the beginning and the end of its long
// texts, with a note of what was left out, so that it takes half of what the window has
// besides its head: the rest is for the work on it. Texts that are short stay whole.
// Images leave where that is not enough. The lines of the ledger that hold what was cut
// will have the numbers from first on. It reports false where there is nothing to cut, or
// no room for it.
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

// messageCut is a message that is too long.
type messageCut struct {
	Context
	message *history.Content
	first   int
}

// to returns the message cut to at most so many tokens, nil where that is not possible.
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

// blocks are those of the message, its texts cut to so many bytes together.
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

// longest is the size at which texts must be cut so that all take so many bytes: what
// short ones leave of an equal share, the long ones get.
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

// shortened is the beginning and the end of a text, by whole lines where they are not long,
// with a note between them.
func (m messageCut) shortened(text *history.Text, most, number int) string {
	head, tail := cutAround(text.Text, most)
	before, left := strings.Count(head, "\n"), text.Text[len(head):len(text.Text)-len(tail)]
	note := fmt.Sprintf("[… %d bytes, from line %d to line %d, were left out to fit the context limit%s …]",
		len(left), 1+before, 1+before+strings.Count(strings.TrimSuffix(left, "\n"), "\n"), m.way(text, number))
	return strings.ToValidUTF8(strings.TrimSuffix(head, "\n"), "") + "\n" + note + "\n" + strings.ToValidUTF8(tail, "")
}

// way says how the model gets at what was left out of the message.
func (m messageCut) way(text *history.Text, number int) string {
	file := ""
	if text != nil && text.IncludedFile != "" {
		file = "; the file is " + words.Line(text.IncludedFile, maxPath)
	}
	switch {
	case m.TranscriptPath != "":
		return fmt.Sprintf(`%s; the record has it whole: call recall with {"number":%d,"offset":LINE}`, file, number)
	case file != "":
		return file
	}
	return "; no record keeps it, so ask for the part that you need"
}

// cutAround returns the beginning and the end of a text that is longer than most, two
// thirds and one third of that, up to a line break if one is near.
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

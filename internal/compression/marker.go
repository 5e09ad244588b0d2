package compression

import (
	"encoding/json"
	"fmt"
	"slices"

	"agent/internal/history"
)

// metaDropped is the key of the metadata that makes an entry a marker; its value
// is how many entries the marker stands for.
const metaDropped = "droppedEntries"

// newMarker returns the one entry that stands where dropped entries were (D-27).
func newMarker(dropped int) *history.Content {
	text := "[1 earlier entry of this conversation was dropped to fit the context limit]"
	if dropped != 1 {
		text = fmt.Sprintf("[%d earlier entries of this conversation were dropped to fit the context limit]", dropped)
	}
	return history.HumanText(text).WithMeta(history.MetaSummary, true).WithMeta(metaDropped, dropped)
}

// droppedBy returns how many entries c stands for, 0 when it is no marker. The
// count may have gone through JSON.
func droppedBy(c *history.Content) int {
	switch n := c.Metadata[metaDropped].(type) {
	case int:
		return n
	case float64:
		return int(n)
	case json.Number:
		i, _ := n.Int64()
		return int(i)
	default:
		return 0
	}
}

func isMarker(c *history.Content) bool { return droppedBy(c) > 0 }

// isSpoken reports whether c is a message of the user.
func isSpoken(c *history.Content) bool { return c.Speaker == history.Human && !isMarker(c) }

// outerHumans returns the first and the last message of the user, −1 when there
// is none.
func outerHumans(entries []*history.Content) (first, last int) {
	first = slices.IndexFunc(entries, isSpoken)
	for last = len(entries) - 1; last >= 0 && !isSpoken(entries[last]); last-- {
	}
	return first, last
}

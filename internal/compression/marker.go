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

// metaFollowed is the key of the metadata that says how many entries followed a
// marker when a compression wrote it.
const metaFollowed = "followingEntries"

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
	n, _ := metaInt(c, metaDropped)
	return n
}

func metaInt(c *history.Content, key string) (int, bool) {
	switch n := c.Metadata[key].(type) {
	case int:
		return n, true
	case json.Number:
		i, err := n.Int64()
		return int(i), err == nil
	default:
		return 0, false
	}
}

// seal notes at the marker of a compressed history how many entries follow it. A
// history without a marker stays as it is: compressing it again changes nothing.
func seal(entries []*history.Content) []*history.Content {
	i := slices.IndexFunc(entries, isMarker)
	if i < 0 {
		return entries
	}
	return sealAt(entries, i)
}

// sealAt notes at entry i how many follow it, and takes the notes of earlier
// compressions away: only the latest counts.
func sealAt(entries []*history.Content, i int) []*history.Content {
	sealed := slices.Clone(entries)
	for j, entry := range sealed {
		if _, noted := metaInt(entry, metaFollowed); noted {
			sealed[j] = entry.WithoutMeta(metaFollowed)
		}
	}
	sealed[i] = sealed[i].WithMeta(metaFollowed, len(entries)-1-i)
	return sealed
}

// nothingSince reports whether a history is as a compression left it that wrote
// such an entry. Its tail is then the one that was kept, and a share of what is left
// would be less (D-43).
func nothingSince(entries []*history.Content, written func(*history.Content) bool) bool {
	for i, entry := range entries {
		if followed, sealed := metaInt(entry, metaFollowed); sealed && followed == len(entries)-1-i && written(entry) {
			return true
		}
	}
	return false
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

package compression

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"agent/internal/base/humanize"
	"agent/internal/history"
)

// metaDropped is the metadata key that makes an entry a marker. Its value is the number of entries that
// the marker represents.
const metaDropped = "droppedEntries"

// metaFollowed is the metadata key for the number of entries that followed a marker when a compression
// wrote it.
const metaFollowed = "followingEntries"

// metaWritten is the metadata key for the files that the entries represented by a marker wrote.
// metaMoreWritten is the key for the number of further files.
const (
	metaWritten     = "writtenFiles"
	metaMoreWritten = "moreWrittenFiles"
)

// maxWritten is the greatest number of files that a marker lists. It lists the latest.
const maxWritten = 12

// A gap is the content of a marker: the facts about the entries that it represents.
type gap struct {
	entries int
	// written lists the files that the entries wrote, the latest last. more is the number of
	// further files.
	written []string
	more    int
	unread
}

// newMarker returns the entry that replaces dropped entries (D-27).
func newMarker(dropped int) *history.Content { return gap{entries: dropped}.marker() }

func (g gap) marker() *history.Content {
	text := "1 earlier entry of this conversation was dropped to fit the context limit"
	if g.entries != 1 {
		text = fmt.Sprintf("%d earlier entries of this conversation were dropped to fit the context limit", g.entries)
	}
	if len(g.written) > 0 {
		text += "; files written in them: " + strings.Join(g.written, ", ")
		if g.more > 0 {
			text += " and " + humanize.Count(g.more, "other file")
		}
	}
	text += g.unread.text()
	c := history.HumanText("["+text+"]").WithMeta(history.MetaSummary, true).WithMeta(metaDropped, g.entries)
	if len(g.written) > 0 {
		c = c.WithMeta(metaWritten, g.written)
	}
	if g.more > 0 {
		c = c.WithMeta(metaMoreWritten, g.more)
	}
	return g.unread.note(c)
}

// write adds a file that was written; "" adds none.
func (g *gap) write(path string) {
	if path == "" {
		return
	}
	if i := slices.Index(g.written, path); i >= 0 {
		g.written = append(slices.Delete(slices.Clone(g.written), i, i+1), path)
		return
	}
	g.written = append(slices.Clip(g.written), path)
	if extra := len(g.written) - maxWritten; extra > 0 {
		g.written, g.more = g.written[extra:], g.more+extra
	}
}

// join adds the content of an earlier marker. following contains the entries after that marker.
func (g *gap) join(marker *history.Content, following []*history.Content) {
	g.unread.join(unreadIn(marker, following))
	later := g.written
	g.entries += droppedBy(marker)
	more, _ := history.MetaOf[int](marker, metaMoreWritten)
	g.more += more
	written, _ := history.MetaOf[[]string](marker, metaWritten)
	g.written = nil
	for _, path := range append(slices.Clip(written), later...) {
		g.write(path)
	}
}

// writtenBy returns the files that a call wrote, as the model named them.
func writtenBy(pair history.Pair, entries []*history.Content, facts TraitsLookup) []string {
	declared := facts.of(pair.Call.Name)
	if !declared.WritesFile() || isPreview(pair.Call) || !succeeded(entries, pair) {
		return nil
	}
	var written []string
	for _, p := range declared.FilesOf(pair.Call) {
		written = append(written, humanize.Line(p, maxKeyLength))
	}
	return written
}

// droppedBy returns the number of entries that c represents, or 0 if c is not a marker.
func droppedBy(c *history.Content) int {
	n, _ := history.MetaOf[int](c, metaDropped)
	return n
}

// seal stores in the marker of a compressed history the number of entries that follow it. It returns a
// history without a marker unchanged, because compressing such a history again changes nothing.
func seal(entries []*history.Content) []*history.Content {
	i := slices.IndexFunc(entries, isMarker)
	if i < 0 {
		return entries
	}
	return sealAt(entries, i)
}

// sealAt stores in entry i the number of entries that follow it. It removes this number from earlier
// markers, because only the latest compression counts.
func sealAt(entries []*history.Content, i int) []*history.Content {
	sealed := slices.Clone(entries)
	for j, entry := range sealed {
		if _, noted := history.MetaOf[int](entry, metaFollowed); noted {
			sealed[j] = entry.WithoutMeta(metaFollowed)
		}
	}
	sealed[i] = sealed[i].WithMeta(metaFollowed, len(entries)-1-i)
	return sealed
}

// nothingSince reports whether nothing was added to a history since a compression sealed it, at an
// entry for which written returns true. The tail of the history is then the tail kept by that
// compression. Compressing again would keep only a share of it (D-43).
func nothingSince(entries []*history.Content, written func(*history.Content) bool) bool {
	for i, entry := range entries {
		if followed, sealed := history.MetaOf[int](entry, metaFollowed); sealed && followed == len(entries)-1-i && written(entry) {
			return true
		}
	}
	return false
}

func isMarker(c *history.Content) bool { return droppedBy(c) > 0 }

func isSpoken(c *history.Content) bool { return c.Speaker == history.Human && !isMarker(c) }

// outerHumans returns the indexes of the first and the last message of the user. Both are −1 if there
// is none.
func outerHumans(entries []*history.Content) (first, last int) {
	first = slices.IndexFunc(entries, isSpoken)
	for last = len(entries) - 1; last >= 0 && !isSpoken(entries[last]); last-- {
	}
	return first, last
}

// unread contains the outcomes of calls of the model's latest reply that were dropped before the model
// could read their results. Only a marker reports them to the model.
type unread struct {
	// fates counts the calls by outcome.
	fates map[string]int
	// whole is set if no call of that reply remains.
	whole bool
}

// The metadata keys of a marker that reports unread calls: the numbers of calls by outcome, whether
// these are all calls of the reply, and how many replies followed the marker when it was written. Once
// more replies follow, the model has read the marker.
const (
	metaUnread  = "unreadCalls"
	metaWhole   = "unreadReply"
	metaReplies = "followingReplies"
)

// join adds calls of the same reply.
func (u *unread) join(other unread) {
	u.whole = u.whole || other.whole
	sum := make(map[string]int)
	maps.Copy(sum, u.fates)
	for fate, n := range other.fates {
		sum[fate] += n
	}
	u.fates = sum
}

func (u unread) text() string {
	if len(u.fates) == 0 {
		return ""
	}
	var fates []string
	for _, fate := range slices.Sorted(maps.Keys(u.fates)) {
		fates = append(fates, fmt.Sprintf("%d %s", u.fates[fate], fate))
	}
	return "; outcomes of your latest calls: " + strings.Join(fates, ", ")
}

func (u unread) note(marker *history.Content) *history.Content {
	if len(u.fates) == 0 {
		return marker
	}
	return marker.WithMeta(metaUnread, u.fates).WithMeta(metaWhole, u.whole)
}

// unreadIn returns the unread calls that a marker reports. It returns none if following contains a new
// reply of the model, which has then read the marker.
func unreadIn(marker *history.Content, following []*history.Content) unread {
	fates, _ := history.MetaOf[map[string]int](marker, metaUnread)
	then, _ := history.MetaOf[int](marker, metaReplies)
	if len(fates) == 0 || replies(following) > then {
		return unread{}
	}
	whole, _ := marker.Metadata[metaWhole].(bool)
	return unread{fates, whole}
}

// noteReplies stores in each marker that reports unread calls the number of replies that follow it.
func noteReplies(entries []*history.Content) []*history.Content {
	for i, entry := range entries {
		if entry.Metadata[metaUnread] != nil {
			entries[i] = entry.WithMeta(metaReplies, replies(entries[i+1:]))
		}
	}
	return entries
}

func replies(entries []*history.Content) int {
	n := 0
	for _, entry := range entries {
		if entry.Speaker == history.AI {
			n++
		}
	}
	return n
}

package compression

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"agent/internal/history"
	"agent/internal/words"
)

// metaDropped is the key of the metadata that makes an entry a marker; its value
// is how many entries the marker represents.
const metaDropped = "droppedEntries"

// metaFollowed is the key of the metadata that says how many entries followed a
// marker when a compression wrote it.
const metaFollowed = "followingEntries"

// metaWritten is the key of the metadata that names the files which the entries that a
// marker represents wrote, and metaMoreWritten that of how many more there were.
const (
	metaWritten     = "writtenFiles"
	metaMoreWritten = "moreWrittenFiles"
)

// maxWritten is how many files a marker names, the latest.
const maxWritten = 12

// gap is what a marker says of the entries it represents.
type gap struct {
	entries int
	// written are the files that they wrote, the latest last, and more how many others.
	written []string
	more    int
	unread
}

// newMarker returns the one entry that is where dropped entries were (D-27).
func newMarker(dropped int) *history.Content { return gap{entries: dropped}.marker() }

func (g gap) marker() *history.Content {
	text := "1 earlier entry of this conversation was dropped to fit the context limit"
	if g.entries != 1 {
		text = fmt.Sprintf("%d earlier entries of this conversation were dropped to fit the context limit", g.entries)
	}
	if len(g.written) > 0 {
		text += "; written in them: " + strings.Join(g.written, ", ")
		if g.more > 0 {
			text += " and " + words.Count(g.more, "other file")
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

// write adds a file that was written; empty for none.
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

// join takes over what an earlier marker says, which following comes after.
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

// writtenBy are the files that a call wrote, as the model named them.
func writtenBy(pair history.Pair, entries []*history.Content, facts Facts) []string {
	declared := facts.of(pair.Call.Name)
	if !declared.WritesFile() || isPreview(pair.Call) || !succeeded(entries, pair) {
		return nil
	}
	var written []string
	for _, p := range writtenPaths(pair.Call, declared) {
		written = append(written, words.Line(p, maxKeyLength))
	}
	return written
}

// droppedBy returns how many entries c represents, 0 when it is no marker.
func droppedBy(c *history.Content) int {
	n, _ := history.MetaOf[int](c, metaDropped)
	return n
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
		if _, noted := history.MetaOf[int](entry, metaFollowed); noted {
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
		if followed, sealed := history.MetaOf[int](entry, metaFollowed); sealed && followed == len(entries)-1-i && written(entry) {
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

// unread is what a marker alone says of calls of the model's latest reply, which were
// dropped before the model could read what came of them.
type unread struct {
	// fates counts the calls by what came of them.
	fates map[string]int
	// whole is set when no call of that reply is left.
	whole bool
}

// The keys of the metadata of a marker that reports unread calls: what came of how many,
// whether these are all of the reply, and how many replies followed the marker when it was
// written. Once there are more, the model has read it.
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

// text is what the model reads of u.
func (u unread) text() string {
	if len(u.fates) == 0 {
		return ""
	}
	var fates []string
	for _, fate := range slices.Sorted(maps.Keys(u.fates)) {
		fates = append(fates, fmt.Sprintf("%d %s", u.fates[fate], fate))
	}
	return "; your latest calls were made: " + strings.Join(fates, ", ")
}

// note puts u into the metadata of a marker.
func (u unread) note(marker *history.Content) *history.Content {
	if len(u.fates) == 0 {
		return marker
	}
	return marker.WithMeta(metaUnread, u.fates).WithMeta(metaWhole, u.whole)
}

// unreadIn is what a marker says of calls that the model has not read yet. A model that
// has replied since, which following shows, has read it.
func unreadIn(marker *history.Content, following []*history.Content) unread {
	fates, _ := history.MetaOf[map[string]int](marker, metaUnread)
	then, _ := history.MetaOf[int](marker, metaReplies)
	if len(fates) == 0 || replies(following) > then {
		return unread{}
	}
	whole, _ := marker.Metadata[metaWhole].(bool)
	return unread{fates, whole}
}

// noteReplies notes at a marker that reports unread calls how many replies follow it.
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

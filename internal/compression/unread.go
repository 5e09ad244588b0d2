package compression

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"agent/internal/history"
)

// unread is what a marker alone says of calls of the model's latest reply, which were
// dropped before the model could read what came of them.
type unread struct {
	// fates counts the calls by what came of them; nil for none.
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
	if len(other.fates) == 0 {
		return
	}
	sum := maps.Clone(u.fates)
	if sum == nil {
		sum = make(map[string]int)
	}
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
	fates := make(map[string]any, len(u.fates))
	for fate, n := range u.fates {
		fates[fate] = n
	}
	return marker.WithMeta(metaUnread, fates).WithMeta(metaWhole, u.whole)
}

// unreadIn is what a marker says of calls that the model has not read yet. A model that
// has replied since, which following shows, has read it.
func unreadIn(marker *history.Content, following []*history.Content) unread {
	noted, _ := marker.Metadata[metaUnread].(map[string]any)
	then, _ := metaInt(marker, metaReplies)
	if len(noted) == 0 || replies(following) > then {
		return unread{}
	}
	u := unread{fates: make(map[string]int, len(noted))}
	for fate, n := range noted {
		switch n := n.(type) {
		case int:
			u.fates[fate] = n
		case json.Number: // read from a record
			i, _ := n.Int64()
			u.fates[fate] = int(i)
		}
	}
	u.whole, _ = marker.Metadata[metaWhole].(bool)
	return u
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

package offline

import (
	"time"

	"agent/internal/compression/cacheaware"
	"agent/internal/history"
	"agent/internal/offline/logs"
)

// clock reports when each request of a stretch was made. A recording without times was
// made without a pause.
type clock []time.Time

// newClock reads when the requests were made: when what is in front of a reply had
// arrived.
func newClock(entries []*history.Content, at map[*history.Content]time.Time) clock {
	var c clock
	latest := time.Unix(0, 0).UTC().Add(time.Second)
	for _, entry := range entries {
		said, known := at[entry]
		if !known {
			said, known = timeOf(entry)
		}
		if entry.Speaker == history.AI {
			if known && len(c) == 0 && latest.Unix() == 1 {
				latest = said
			}
			c = append(c, latest)
		}
		if known && said.After(latest) {
			latest = said
		}
	}
	return c
}

func timeOf(entry *history.Content) (time.Time, bool) {
	at, ok := history.MetaOf[int64](entry, logs.MetaTime)
	return time.UnixMilli(at).UTC(), ok
}

// gaps says of each request whether nothing of it can have been cached.
func (c clock) gaps(cache cacheaware.Cache) []bool {
	cold := make([]bool, len(c))
	for k := range c {
		cold[k] = k == 0 || !cache.Alive(c[k].Sub(c[k-1]))
	}
	return cold
}

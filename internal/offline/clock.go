package offline

import (
	"time"

	"agent/internal/history"
	"agent/internal/offline/logs"
)

// clock contains the time of each request of a span. If a recording has no times, no time passes
// between its requests.
type clock []time.Time

// newClock returns the times of the requests. A request was sent when the entries before its reply had
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

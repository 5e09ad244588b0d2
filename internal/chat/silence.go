package chat

import (
	"time"

	"agent/internal/llm"
)

// SilenceTold is after how long it is told that nothing comes, and how often.
const SilenceTold = 10 * time.Second

// silence measures how long a model has sent nothing.
type silence struct {
	ticker *time.Ticker
	since  time.Time
}

func newSilence(now time.Time) *silence {
	return &silence{ticker: time.NewTicker(SilenceTold), since: now}
}

func (s *silence) stop() { s.ticker.Stop() }

// ended starts the measurement again. A pause before another attempt, which has
// been told, is no silence.
func (s *silence) ended(now time.Time, chunk llm.Chunk) {
	s.since = now
	if retrying, ok := chunk.(llm.Retrying); ok {
		s.since = now.Add(retrying.Delay)
	}
	s.ticker.Reset(s.since.Sub(now) + SilenceTold)
}

// lasts is how long the silence lasts, in full seconds.
func (s *silence) lasts(now time.Time) time.Duration {
	s.ticker.Reset(SilenceTold)
	return now.Sub(s.since).Round(time.Second)
}

package chat

import "agent/internal/llm/vendor"

// cacheStep is the unit in which a provider's cache counts tokens. If the unit is not known, it is
// the largest one that divides all reported numbers.
type cacheStep struct {
	at                 string
	size, latest, seen int
}

// The number of reports after which a step is known, and the smallest useful step in tokens.
const (
	enoughReports = 4
	leastStep     = 16
)

func (s *cacheStep) saw(at string, cached int) {
	if at != s.at {
		*s = cacheStep{at: at}
	}
	if cached == 0 || cached == s.latest {
		return // the same status was already reported
	}
	s.latest, s.seen = cached, s.seen+1
	for a, b := s.size, cached; ; a, b = b, a%b {
		if a%b == 0 {
			s.size = b
			return
		}
	}
}

// of returns cache with the step, if the step is known.
func (s *cacheStep) of(at string, cache vendor.Cache) vendor.Cache {
	if at == s.at && cache.StepTokens == 0 && s.seen >= enoughReports && s.size >= leastStep {
		cache.StepTokens = s.size
	}
	return cache
}

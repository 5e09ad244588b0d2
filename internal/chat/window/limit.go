package window

import (
	"cmp"
	"fmt"

	"agent/internal/settings"
)

// DefaultLimit is the window assumed for unknown models, in tokens.
const DefaultLimit = 128_000

// maxReserve is the greatest number of tokens kept for the reply without a setting (D-08).
const maxReserve = 16_384

// Size returns the model's window in tokens: the user's setting, else the known size of the
// model, else a common size; but never more than the model refused.
func (m *measure) Size() int {
	configured := m.configuredSize()
	if l, ok := m.learned[m.model()]; ok && l.configured == configured {
		return min(configured, l.refused)
	}
	return configured
}

func (m *measure) configuredSize() int {
	if set := settings.ContextLimit.Of(m.Settings); set > 0 {
		return set // Limit may wait for the endpoint
	}
	limit, known := m.Limit(m.model())
	if !known {
		limit = 0
	}
	return SizeOf(0, limit)
}

// SizeOf returns the window of a model: the setting, else the known size, else a common size; 0
// means no setting or no known size.
func SizeOf(set, known int) int { return cmp.Or(set, known, DefaultLimit) }

// learnedLimit is a request size that a provider refused while the window was believed to have
// configured tokens. It holds until somebody configures another window.
type learnedLimit struct{ refused, configured int }

// learn remembers that the model refused a request of the given number of tokens.
func (m *measure) learn(tokens int) {
	m.learned[m.model()] = learnedLimit{tokens, m.configuredSize()}
}

// Reserve returns the part of the window kept free for the reply (D-08), or an error if it leaves
// no room for a request.
func (m *measure) Reserve() (int, error) {
	reserve, size := m.reserve(), m.Size()
	if reserve >= size {
		return 0, fmt.Errorf("max-output-tokens (%d) leaves no room in context-limit (%d); lower the first or raise the second", reserve, size)
	}
	return reserve, nil
}

func (m *measure) reserve() int {
	return ReserveOf(settings.MaxOutputTokens.Of(m.Settings), m.Size())
}

// ReserveOf returns the part of a window kept free for the reply: the setting, else the common
// share; a set of 0 means no setting (D-08).
func ReserveOf(set, size int) int {
	if set > 0 {
		return set
	}
	return min(maxReserve, size/4)
}

// leastOutput is the number of tokens that one result may take in any window, however small.
const leastOutput = 500

// OutputLimit returns the number of tokens that one result of a tool may take: the setting, or a
// quarter of the room that the window has besides head and reserve if that is less (D-41). It is
// by our own count, by which tools measure.
func (m *measure) OutputLimit() int {
	free := m.estimated(m.Size()-m.reserve()) - m.overhead()
	return min(settings.ToolOutputMaxTokens.Of(m.Settings), max(leastOutput, free/4))
}

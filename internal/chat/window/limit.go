package window

import (
	"cmp"
	"fmt"

	"agent/internal/settings"
)

// DefaultLimit is the window assumed for models nobody knows, in tokens.
const DefaultLimit = 128_000

// maxReserve caps the share of the window kept for the reply (D-08).
const maxReserve = 16_384

// Size is the model's window in tokens: what the user set, else what is known of
// the model, else a common size; never above what the model refused.
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

// SizeOf is the window of a model: what is set, else what is known of it, else a
// common size; 0 represents neither.
func SizeOf(set, known int) int { return cmp.Or(set, known, DefaultLimit) }

// learnedLimit is a size a provider refused while the window was believed to be
// configured; it holds until somebody configures another.
type learnedLimit struct{ refused, configured int }

// learn remembers that the model refused a request of tokens.
func (m *measure) learn(tokens int) {
	m.learned[m.model()] = learnedLimit{tokens, m.configuredSize()}
}

// Reserve is the part of the window kept free for the reply (D-08), or an error when
// it leaves no room for a request.
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

// ReserveOf is what is kept free of a window: what is set, else the common share; 0
// represents nothing set (D-08).
func ReserveOf(set, size int) int {
	if set > 0 {
		return set
	}
	return min(maxReserve, size/4)
}

// leastOutput is what one result may take however small the window is, in tokens.
const leastOutput = 500

// OutputLimit is how many tokens one result of a tool may take: the setting, or a
// quarter of what the window has besides its head and the reserve if that is less
// (D-41). It is in tokens of our own count, which is what tools measure by.
func (m *measure) OutputLimit() int {
	free := m.estimated(m.Size()-m.reserve()) - m.overhead()
	return min(settings.ToolOutputMaxTokens.Of(m.Settings), max(leastOutput, free/4))
}

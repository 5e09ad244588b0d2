package window

import (
	"cmp"
	"fmt"
	"maps"

	"agent/internal/compression"
	"agent/internal/history"
	"agent/internal/settings"
)

// DefaultLimit is the window assumed for unknown models, in tokens.
const DefaultLimit = 128_000

// maxReserve is the greatest number of tokens kept for the reply without a setting (D-08).
const maxReserve = 16_384

// Limits knows how large the next request may be, in tokens as the provider counts them.
type Limits struct {
	settings *settings.Settings
	// known returns the known size of a model's window.
	known func(model string) (tokens int, ok bool)
	// learned maps models to the limits that refusals taught.
	learned map[string]history.LearnedLimit
}

// NewLimits returns the limits of requests to the model of the settings. known returns the known
// size of a model's window; it is called if the setting context-limit is unset.
func NewLimits(s *settings.Settings, known func(model string) (int, bool)) *Limits {
	return &Limits{settings: s, known: known, learned: make(map[string]history.LearnedLimit)}
}

// model returns the name of the model of the next request.
func (l *Limits) model() string { return settings.Model.Of(l.settings) }

// Size returns the model's window in tokens: the user's setting, else the known size of the
// model, else a common size; but never more than a refusal taught.
func (l *Limits) Size() int {
	configured := l.configuredSize()
	if learned, ok := l.learned[l.model()]; ok && learned.Configured == configured {
		return min(configured, learned.Tokens)
	}
	return configured
}

func (l *Limits) configuredSize() int {
	if set := settings.ContextLimit.Of(l.settings); set > 0 {
		return set // listing the known files may wait for the endpoint
	}
	limit, known := l.known(l.model())
	if !known {
		limit = 0
	}
	return SizeOf(0, limit)
}

// SizeOf returns the window of a model: the setting, else the known size, else a common size; 0
// means no setting or no known size.
func SizeOf(set, known int) int { return cmp.Or(set, known, DefaultLimit) }

// learn remembers the limit of the model, in tokens.
func (l *Limits) learn(tokens int) {
	l.learned[l.model()] = history.LearnedLimit{Tokens: tokens, Configured: l.configuredSize()}
}

// Restore restores the limits that refusals taught in an earlier run, by model.
func (l *Limits) Restore(learned map[string]history.LearnedLimit) { maps.Copy(l.learned, learned) }

// Reserve returns the part of the window kept free for the reply (D-08), or an error if it leaves
// no room for a request.
func (l *Limits) Reserve() (int, error) {
	reserve, size := l.reserve(), l.Size()
	if reserve >= size {
		return 0, fmt.Errorf("max-output-tokens (%d) must be below context-limit (%d); lower max-output-tokens or raise context-limit", reserve, size)
	}
	return reserve, nil
}

func (l *Limits) reserve() int {
	return ReserveOf(settings.MaxOutputTokens.Of(l.settings), l.Size())
}

// ReserveOf returns the part of a window kept free for the reply: the setting, else the common
// share; a set of 0 means no setting (D-08).
func ReserveOf(set, size int) int {
	if set > 0 {
		return set
	}
	return min(maxReserve, size/4)
}

// Trigger returns the total at which compression starts: the threshold's share of the window, or
// the window without the reserve if that is less (D-40).
func (l *Limits) Trigger(strategy compression.Strategy) int {
	return min(l.thresholdTokens(strategy), l.Size()-l.reserve())
}

// thresholdTokens returns the threshold's share of the window.
func (l *Limits) thresholdTokens(strategy compression.Strategy) int {
	return int(l.threshold(strategy) * float64(l.Size()))
}

// threshold resolves REQ-HD-001.10: it returns the user's setting, else the strategy's own
// threshold.
func (l *Limits) threshold(strategy compression.Strategy) float64 {
	if set := settings.CompressionThreshold.Of(l.settings); set > 0 {
		return set
	}
	return strategy.Trigger().DefaultThreshold
}

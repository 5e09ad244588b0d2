package window

import (
	"cmp"
	"fmt"
	"hash/crc32"
	"maps"

	"agent/internal/compression"
	"agent/internal/history"
	"agent/internal/settings"
)

// DefaultLimit is the context window assumed for unknown models, in tokens.
const DefaultLimit = 128_000

// maxReserve is the largest default reserve for the reply, in tokens (D-08).
const maxReserve = 16_384

// Limits computes the largest size of the next request, in tokens as the provider counts them.
type Limits struct {
	settings *settings.Settings
	// known returns the known context window of a model.
	known func(model string) (tokens int, ok bool)
	// learned maps models to the limits learned from refusals.
	learned map[string]history.LearnedLimit
}

// NewLimits returns the limits of requests to the model of the settings. known returns the known
// context window of a model. It is called if the setting context-limit is unset.
func NewLimits(s *settings.Settings, known func(model string) (int, bool)) *Limits {
	return &Limits{settings: s, known: known, learned: make(map[string]history.LearnedLimit)}
}

func (l *Limits) model() string { return settings.Model.Value(l.settings) }

// Size returns the model's context window in tokens. It is the user's setting, or otherwise the known
// size of the model, or otherwise DefaultLimit. It never exceeds a limit learned from a refusal.
func (l *Limits) Size() int {
	configured := l.configuredSize()
	if learned, ok := l.learned[l.model()]; ok && learned.Configured == configured && (learned.Endpoint == 0 || learned.Endpoint == l.endpoint()) {
		return min(configured, learned.Tokens)
	}
	return configured
}

func (l *Limits) configuredSize() int {
	if set := settings.ContextLimit.Value(l.settings); set > 0 {
		return set // looking up the known size may wait for the endpoint
	}
	limit, known := l.known(l.model())
	if !known {
		limit = 0
	}
	return SizeOf(0, limit)
}

// SizeOf returns the context window of a model: the setting, or the known size, or otherwise
// DefaultLimit. 0 means no setting or no known size.
func SizeOf(set, known int) int { return cmp.Or(set, known, DefaultLimit) }

// endpoint returns a checksum of the settings that choose the endpoint.
func (l *Limits) endpoint() uint32 {
	return crc32.ChecksumIEEE([]byte(settings.Provider.Value(l.settings) + " " + settings.BaseURL.Value(l.settings)))
}

// learn stores the limit of the model, in tokens.
func (l *Limits) learn(tokens int) {
	l.learned[l.model()] = history.LearnedLimit{Tokens: tokens, Configured: l.configuredSize(), Endpoint: l.endpoint()}
}

// Restore restores the limits learned from refusals in an earlier process, by model.
func (l *Limits) Restore(learned map[string]history.LearnedLimit) { maps.Copy(l.learned, learned) }

// Reserve returns the part of the context window kept free for the reply (D-08). It returns an error if
// the reserve leaves no room for a request.
func (l *Limits) Reserve() (int, error) {
	reserve, size := l.reserve(), l.Size()
	if reserve >= size {
		return 0, fmt.Errorf("max-output-tokens (%d) must be below context-limit (%d); lower max-output-tokens or raise context-limit", reserve, size)
	}
	return reserve, nil
}

func (l *Limits) reserve() int {
	return ReserveOf(settings.MaxOutputTokens.Value(l.settings), l.Size())
}

// ReserveOf returns the part of a context window kept free for the reply: the setting set, or the
// default share if set is 0 (D-08).
func ReserveOf(set, size int) int {
	if set > 0 {
		return set
	}
	return min(maxReserve, size/4)
}

// CompressionThreshold returns the size of a request in tokens at which compression starts. It is the threshold's
// share of the context window, or the window minus the reserve if that is less (D-40).
func (l *Limits) CompressionThreshold(strategy compression.Strategy) int {
	return min(l.thresholdTokens(strategy), l.Size()-l.reserve())
}

// thresholdTokens returns the threshold's share of the context window in tokens.
func (l *Limits) thresholdTokens(strategy compression.Strategy) int {
	return int(l.threshold(strategy) * float64(l.Size()))
}

// threshold implements REQ-HD-001.10: it returns the user's setting, or otherwise the strategy's own
// threshold.
func (l *Limits) threshold(strategy compression.Strategy) float64 {
	if set := settings.CompressionThreshold.Value(l.settings); set > 0 {
		return set
	}
	return strategy.Trigger().DefaultThreshold
}

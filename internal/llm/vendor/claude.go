package vendor

import "strconv"

// Claude describes a model of Anthropic on the Messages API. The numbers are from the pages
// "Extended thinking", "Prompt caching" and "Models" of Anthropic, read in November 2026.
type Claude struct {
	// Adaptive means that the model itself decides how long it thinks. AlwaysThinks means that thinking
	// cannot be disabled.
	Adaptive, AlwaysThinks bool
	// Budget means that the model uses a token budget for its thinking.
	Budget bool
	// NoSampling means that the model supports neither temperature nor top_p.
	NoSampling bool
	// SystemMessages means that the model supports system messages after the first user message.
	SystemMessages bool
	// LeastCached is the size of the smallest prefix that is cached, in tokens.
	LeastCached int
	// MaxOutput is the output limit in tokens, or 0 if it is unknown.
	MaxOutput int
}

// The numbers for unknown models, and for Claude models since version 4.6.
const (
	leastCachedUnknown = 1024
	maxOutputSince46   = 128_000
)

// leastCached maps families and versions, as 10 * major + minor, to the smallest prefix that is cached,
// in tokens.
var leastCached = map[string]map[int]int{
	"opus":   {45: 4096, 46: 4096, 47: 2048, 48: 1024, 50: 512, 55: 512},
	"haiku":  {45: 4096},
	"sonnet": {45: 1024, 46: 1024, 50: 1024},
	"fable":  {50: 512, 51: 512, 52: 512},
	"mythos": {50: 512, 51: 512, 52: 512},
}

// ClaudeOf returns the facts about a model by its name. A Claude model without a version counts as new.
// Models of other makers, which gateways serve over the same API, get safe values.
func ClaudeOf(model string) Claude {
	name := BaseName(model)
	facts := Claude{LeastCached: leastCachedUnknown}
	match := claudeModel.FindStringSubmatch(name)
	if match == nil {
		facts.Budget = oldClaude.MatchString(name)
		return facts
	}
	family := match[1]
	major, _ := strconv.Atoi(match[2])
	minor, _ := strconv.Atoi(match[3])
	version := 10*major + minor
	if match[2] == "" {
		version = 100
	}
	if least := leastCached[family][version]; least > 0 {
		facts.LeastCached = least
	}
	bound := version >= boundFrom[family]
	named := family == "fable" || family == "mythos"
	facts.Adaptive, facts.Budget = version >= 46, version < 46
	facts.AlwaysThinks = named || bound && family != "haiku"
	facts.NoSampling = named || version >= 47
	facts.SystemMessages = named || bound || family == "opus" && version >= 48
	switch {
	case facts.Adaptive:
		facts.MaxOutput = maxOutputSince46
	case version == 45:
		facts.MaxOutput = 64_000
	}
	return facts
}

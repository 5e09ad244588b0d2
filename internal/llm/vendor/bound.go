package vendor

import (
	"strconv"
	"strings"

	"agent/internal/base/lazyregexp"
)

// BoundReasoning is the condition on the earlier conversation under which a vendor uses the reasoning
// of earlier replies again.
type BoundReasoning string

// The values. The zero value counts as not known.
const (
	// BoundNone means that reasoning is used even if the text before it has changed.
	BoundNone BoundReasoning = "none"
	// BoundTurn means that only the reasoning of the running turn is used.
	BoundTurn BoundReasoning = "turn"
	// BoundPrefix means that reasoning is void once anything before it has changed.
	BoundPrefix BoundReasoning = "prefix"
)

// Prefix reports whether a change of earlier content makes later reasoning void.
func (b BoundReasoning) Prefix() bool { return b == BoundPrefix }

// claudeModel matches the BaseName of a Claude model with the version after the name, as in all
// versions from 4 on. A version has at most two digits, so that a date does not match.
var claudeModel = lazyregexp.New(`claude-(opus|sonnet|haiku|fable|mythos)(?:-(\d{1,2})(?:-(\d{1,2}))?)?(?:[-@:]|$)`)

// oldClaude matches the BaseName of a Claude model with the version before the name.
var oldClaude = lazyregexp.New(`claude-(?:\d|v\d|instant)`)

// boundFrom maps the names of Claude models to the first version with bound reasoning, as 10 *
// major + minor. The source is Anthropic's page "Preserved thinking" of November 2026.
var boundFrom = map[string]int{"opus": 55, "sonnet": 55, "haiku": 55, "fable": 51, "mythos": 51}

// BoundReasoningOf returns the condition of a model's vendor, by the name of the model. An unknown name
// counts as bound if the newest known models of its family are. A wrong guess only delays pruning.
func BoundReasoningOf(model string) BoundReasoning {
	name := BaseName(model)
	switch {
	case strings.Contains(name, "claude"):
		return claudeBinding(name)
	case openAIGeneration(name) >= gpt62:
		return BoundPrefix
	case openAIGeneration(name) >= gpt56:
		return BoundNone
	case openAIGeneration(name) >= oSeries:
		return BoundTurn
	}
	return BoundNone
}

func claudeBinding(name string) BoundReasoning {
	match := claudeModel.FindStringSubmatch(name)
	switch {
	case match == nil && oldClaude.MatchString(name):
		return BoundNone
	case match == nil || match[2] == "":
		return BoundPrefix
	}
	major, _ := strconv.Atoi(match[2])
	minor, _ := strconv.Atoi(match[3])
	if 10*major+minor >= boundFrom[match[1]] {
		return BoundPrefix
	}
	return BoundNone
}

package vendor

import (
	"strconv"
	"strings"

	"agent/internal/base/lazyregexp"
)

// BoundReasoning says what a vendor demands of the past before it reads the reasoning of earlier
// replies again.
type BoundReasoning string

// The values. The zero value counts as not known.
const (
	// BoundNone means that reasoning is read whatever became of the text before it.
	BoundNone BoundReasoning = "none"
	// BoundTurn means that only the reasoning of the running turn is read.
	BoundTurn BoundReasoning = "turn"
	// BoundPrefix means that reasoning is void once anything before it has changed.
	BoundPrefix BoundReasoning = "prefix"
)

// Prefix reports whether an edit of the past makes later reasoning void.
func (b BoundReasoning) Prefix() bool { return b == BoundPrefix }

// claudeModel matches the BaseName of a Claude model that has its version behind its name, as all
// have from version 4 on. A version has at most two digits, so that a date is none.
var claudeModel = lazyregexp.New(`claude-(opus|sonnet|haiku|fable|mythos)(?:-(\d{1,2})(?:-(\d{1,2}))?)?(?:[-@:]|$)`)

// oldClaude matches the BaseName of a Claude model that has its version in front of its name.
var oldClaude = lazyregexp.New(`claude-(?:\d|v\d|instant)`)

// boundFrom maps the names of Claude models to the first version with bound reasoning, as 10 *
// major + minor. The source is Anthropic's page "Preserved thinking" of November 2026.
var boundFrom = map[string]int{"opus": 55, "sonnet": 55, "haiku": 55, "fable": 51, "mythos": 51}

// BoundReasoningOf returns the demand of the vendor of a model, by the name of the model. A name
// that is not known counts as bound if the newest known models of its family are: that only delays
// cuts.
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

package openai

import (
	"strconv"
	"strings"

	"agent/internal/pattern"
)

// BaseName brings a model's name into one form: without the router's or owner's
// prefix, lower case, dots as dashes. "anthropic/claude-opus-4.6" and
// "claude-opus-4-6" are the same.
func BaseName(model string) string {
	name := model[strings.LastIndex(model, "/")+1:]
	return strings.ReplaceAll(strings.ToLower(name), ".", "-")
}

// openAIModel finds the generation in the name of a model of OpenAI.
var openAIModel = pattern.New(`^(?:o\d|gpt-(\d+)(?:-(\d{1,2})(?:-|$))?)`)

// openAIGeneration reads the generation of a GPT from its name.
func openAIGeneration(name string) (major, minor int, ok bool) {
	match := openAIModel.FindStringSubmatch(name)
	if match == nil || match[1] == "" {
		return 0, 0, false
	}
	major, _ = strconv.Atoi(match[1])
	minor, _ = strconv.Atoi(match[2])
	return major, minor, true
}

// reasonsOnResponses reports whether a model of OpenAI reasons with tools on the
// Responses API only, or better: the o-series, and GPT from 5.4 on.
func reasonsOnResponses(name string) bool {
	major, minor, gpt := openAIGeneration(name)
	if !gpt {
		return openAIModel.MatchString(name)
	}
	return major > 5 || major == 5 && minor >= 4
}

package llm

import "strings"

// BaseName brings a model's name into one form: without the router's or owner's
// prefix, lower case, dots as dashes. "anthropic/claude-opus-4.6" and
// "claude-opus-4-6" are the same.
func BaseName(model string) string {
	name := model[strings.LastIndex(model, "/")+1:]
	return strings.ReplaceAll(strings.ToLower(name), ".", "-")
}

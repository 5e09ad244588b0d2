package tools

import (
	"context"
	"strings"

	"agent/internal/toolspec"
)

// SkillContent is a skill in the form that the model reads.
type SkillContent struct {
	// Text is the text of the skill, and Key identifies the skill for [Answer].
	Text, Key string
}

type skillArgs struct {
	Name      string `json:"name" jsonschema:"its name"`
	Arguments string `json:"arguments,omitempty" jsonschema:"its arguments, if it takes any"`
}

// SkillTool returns the tool that activates skills. catalogue is the list of skills. activate returns
// one skill, or an error for the model.
func SkillTool(catalogue string, activate func(name, arguments string) (SkillContent, error)) Tool {
	return defineRead(Tool{
		Name:        "skill",
		Description: "Activates a skill of this list. Call it before work that the skill covers, then follow the skill:\n" + strings.TrimRight(catalogue, "\n"),
		Traits:      Traits{Key: "name", Words: toolspec.SameVerbs("activating", "activated", "activate")},
	}, func(_ context.Context, _ *Env, args skillArgs) Answer {
		found, err := activate(args.Name, args.Arguments)
		if err != nil {
			return failedAnswer(err)
		}
		return Answer{Text: found.Text, Key: found.Key, Summary: args.Name}
	})
}

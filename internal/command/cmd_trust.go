package command

import (
	"context"
	"errors"

	"agent/internal/words"
)

// Trust is what the repository wants run, connected to or allowed, and what a person says
// of it.
type Trust interface {
	// Lines lists it, a line each.
	Lines() ([]string, error)
	// Answer keeps a yes or no about named items, or about all that wait.
	Answer(yes bool, names ...string) ([]string, error)
	Forget() ([]string, error)
}

// maxTrusted bounds how many items a line names.
const maxTrusted = 100

func (c *Commands) trustCommand() Command {
	return Command{
		Name: "trust", MaxArgs: maxTrusted,
		Help: "what the repository wants, and your yes or no",
		Usage: []Form{
			{Does: "list it"},
			{Args: "yes [ITEM…]", Does: "agree to all that waits, or to items"},
			{Args: "no [ITEM…]", Does: "never use what waits, or items"},
			{Args: "forget", Does: "forget your answers"},
		},
		Run: func(_ context.Context, args []string) (Output, error) {
			lines, err := c.trust(args)
			return Output{Lines: lines}, err
		},
		Complete: func(args []string) []Completion {
			if len(args) > 0 {
				return nil
			}
			return []Completion{{Value: "yes", Help: "agree to what waits"}, {Value: "no", Help: "never use what waits"}, {Value: "forget", Help: "forget your answers"}}
		},
	}
}

func (c *Commands) trust(args []string) ([]string, error) {
	switch {
	case c.deps.Trust == nil:
		return nil, errors.New("nothing is asked about here")
	case len(args) == 0:
		return c.deps.Trust.Lines()
	case args[0] == "yes", args[0] == "no":
		return c.deps.Trust.Answer(args[0] == "yes", args[1:]...)
	case args[0] == "forget" && len(args) == 1:
		return c.deps.Trust.Forget()
	}
	return nil, errors.New("type /trust, /trust yes, /trust no or /trust forget, not " + words.Line(args[0], 40))
}

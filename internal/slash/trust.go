package slash

import (
	"context"
	"errors"

	"agent/internal/command"
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

func trustCommand(d Deps) command.Command {
	return command.Command{
		Name: "trust", MaxArgs: maxTrusted,
		Help: "what the repository wants, and your yes or no",
		Usage: []command.Form{
			{Does: "list it"},
			{Args: "yes [ITEM…]", Does: "agree to all that waits, or to items"},
			{Args: "no [ITEM…]", Does: "never use what waits, or items"},
			{Args: "forget", Does: "forget your answers"},
		},
		Run: func(_ context.Context, args []string) (command.Output, error) {
			lines, err := runTrust(d.Trust, args)
			return command.Output{Lines: lines}, err
		},
		Complete: func(args []string) []command.Completion {
			if len(args) > 0 {
				return nil
			}
			return []command.Completion{{Value: "yes", Help: "agree to what waits"}, {Value: "no", Help: "never use what waits"}, {Value: "forget", Help: "forget your answers"}}
		},
	}
}

func runTrust(trust Trust, args []string) ([]string, error) {
	switch {
	case trust == nil:
		return nil, errors.New("nothing is asked about here")
	case len(args) == 0:
		return trust.Lines()
	case args[0] == "yes", args[0] == "no":
		return trust.Answer(args[0] == "yes", args[1:]...)
	case args[0] == "forget" && len(args) == 1:
		return trust.Forget()
	}
	return nil, errors.New("type /trust, /trust yes, /trust no or /trust forget, not " + words.Line(args[0], 40))
}

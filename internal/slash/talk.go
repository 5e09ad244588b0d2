package slash

import (
	"context"
	"errors"
	"fmt"

	"agent/internal/chat"
	"agent/internal/command"
)

func quitCommand() command.Command {
	return command.Command{
		Name: "quit", Aliases: []string{"exit", "q"},
		Help: "leave; the session can be continued later", Loses: true,
		Run: func(context.Context, []string) (command.Output, error) { return command.Output{Quit: true}, nil },
	}
}

func clearCommand(d Deps) command.Command {
	return command.Command{
		Name: "clear", Aliases: []string{"new"},
		Help: "start over with an empty context", Loses: true,
		Run: func(ctx context.Context, _ []string) (command.Output, error) {
			if err := d.Session.Clear(ctx); err != nil {
				return command.Output{}, err
			}
			if d.Recorded {
				return command.Output{Lines: []string{"The context is empty; the session log keeps what was said."}, Fresh: true}, nil
			}
			return command.Output{Lines: []string{"The context is empty."}, Fresh: true}, nil
		},
	}
}

func retryCommand(d Deps) command.Command {
	return command.Command{
		Name: "retry",
		Help: "send the conversation again after a failure",
		Run: func(ctx context.Context, _ []string) (command.Output, error) {
			return command.Output{}, d.Session.Retry(ctx)
		},
	}
}

func compressCommand(d Deps) command.Command {
	return command.Command{
		Name: "compress", Aliases: []string{"compact"},
		Help: "make the context smaller now", Loses: true,
		Run: func(ctx context.Context, _ []string) (command.Output, error) {
			done, err := d.Session.Compress(ctx)
			switch {
			case errors.Is(err, chat.ErrWorking):
				return command.Output{}, err
			case errors.Is(err, chat.ErrInterrupted):
				return command.Output{Lines: []string{"compression interrupted, the context is as it was"}}, nil
			case err != nil:
				return command.Output{}, fmt.Errorf("compression failed, the context is as it was: %w", err)
			}
			return command.Output{Lines: []string{done.String()}}, nil
		},
	}
}

func copyCommand(d Deps) command.Command {
	return command.Command{
		Name: "copy", Aliases: []string{"cp"},
		Help: "copy the last answer to the clipboard",
		Run: func(ctx context.Context, _ []string) (command.Output, error) {
			reply, err := d.Session.LastReply(ctx)
			if err != nil {
				return command.Output{}, err
			}
			if reply == "" {
				return command.Output{}, errors.New("there is no answer to copy yet")
			}
			return command.Output{Copy: reply}, nil
		},
	}
}

// initPrompt asks the model for the file it reads itself at every start.
const initPrompt = `Look at this workspace and write AGENTS.md in its root, the instructions for coding agents that work here. If the file exists, improve it and keep what is still right. What CLAUDE.md, GEMINI.md, .cursorrules and the like say to agents goes into it as well; write no other file. If CLAUDE.md is there, end your answer by proposing the one line \@AGENTS.md for it, so that there is one text.

Find out by reading, not by guessing: what the project is, how it is built, tested and linted (the exact commands), where things are, the conventions of its code and commits, and what one must not do. Leave out what anybody would know and what the code says plainly. Keep it under 60 lines. Run a command only to check that it is right.

If the project has a quick command that finds errors of types or syntax, end your answer by proposing it as a check after edits, and set nothing: /set check-command COMMAND, or /set check-command auto for go vet, tsc, ruff and cargo check.`

func initCommand() command.Command {
	return command.Command{
		Name: "init",
		Help: "let the model write AGENTS.md",
		Run: func(context.Context, []string) (command.Output, error) {
			return command.Output{Submit: initPrompt}, nil
		},
	}
}

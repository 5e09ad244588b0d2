package command

import "context"

// initPrompt asks the model for the file it reads itself at every start.
const initPrompt = `Look at this workspace and write AGENTS.md in its root, the instructions for coding agents that work here. If the file exists, improve it and keep what is still right. What CLAUDE.md, GEMINI.md, .cursorrules and the like say to agents goes into it as well; write no other file. If CLAUDE.md is there, end your answer by proposing the one line \@AGENTS.md for it, so that there is one text.

Find out by reading, not by guessing: what the project is, how it is built, tested and linted (the exact commands), where things are, the conventions of its code and commits, and what one must not do. Leave out what anybody would know and what the code says plainly. Keep it under 60 lines. Run a command only to check that it is right.

If the project has a quick command that finds errors of types or syntax, end your answer by proposing it as a check after edits, and set nothing: /set check-command COMMAND, or /set check-command auto for go vet, tsc, ruff and cargo check.`

func (c *Commands) initCommand() Command {
	return Command{
		Name: "init",
		Help: "let the model write AGENTS.md",
		Run:  func(context.Context, []string) (Output, error) { return Output{Submit: initPrompt}, nil },
	}
}

package slash

import (
	"context"
	"errors"
	"strings"

	"agent/internal/command"
	"agent/internal/table"
)

func toolsCommand(d Deps) command.Command {
	return command.Command{
		Name: "tools",
		Help: "list what the model can do",
		Run: func(context.Context, []string) (command.Output, error) {
			var rows [][]string
			for _, tool := range d.Tools() {
				rows = append(rows, []string{tool.Name, tool.Traits.String(), firstSentence(tool.Description)})
			}
			return command.Output{Lines: table.Lines("lll", rows)}, nil
		},
	}
}

// firstSentence is enough of a description that was written for a model.
func firstSentence(text string) string {
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	text, _, _ = strings.Cut(text, ". ")
	return strings.TrimSuffix(text, ".")
}

// listCommand shows a list, or says what there is instead of one. Lines is nil where there
// is never any.
func listCommand(name, help string, lines func() []string, none string, aliases ...string) command.Command {
	return command.Command{
		Name: name, Help: help, Aliases: aliases,
		Run: func(context.Context, []string) (command.Output, error) {
			if lines != nil {
				if list := lines(); len(list) > 0 {
					return command.Output{Lines: list}, nil
				}
			}
			return command.Output{Lines: []string{none}}, nil
		},
	}
}

func todoCommand(d Deps) command.Command {
	return listCommand("todo", "show what the model means to do", d.Todos, "The todo list is empty; the model writes it.", "todos")
}

func instructionsCommand(d Deps) command.Command {
	return listCommand("instructions", "list the instructions that the model reads", d.Instructions,
		"There are no instructions; /init lets the model write AGENTS.md.")
}

func skillsCommand(d Deps) command.Command {
	return listCommand("skills", "list the skills and where they are", d.Skills,
		"There are no skills. A skill is a folder with a file SKILL.md, in .agents/skills or .claude/skills of the workspace or of your home folder.")
}

func hooksCommand(d Deps) command.Command {
	return listCommand("hooks", "list the hooks and what became of them", d.Hooks,
		"There are no hooks. They are written in hooks.json of your configuration folder, or in .agents/hooks.json or .claude/settings.json of a project.")
}

func diffCommand(d Deps) command.Command {
	return command.Command{
		Name: "diff",
		Help: "show what changed since the last commit",
		Run: func(ctx context.Context, _ []string) (command.Output, error) {
			diff, err := d.Diff(ctx)
			if err != nil {
				return command.Output{}, err
			}
			if strings.TrimSpace(diff) == "" {
				return command.Output{Lines: []string{"Nothing changed since the last commit."}}, nil
			}
			return command.Output{Diff: diff}, nil
		},
	}
}

func keysCommand(d Deps) command.Command {
	return command.Command{
		Name: "keys",
		Help: "show which keys do what, and test one",
		Run: func(context.Context, []string) (command.Output, error) {
			if d.ReadKeys == nil {
				return command.Output{}, errors.New("keys are the screen's, and there is none here")
			}
			bound, faults := d.ReadKeys()
			var rows [][]string
			for _, b := range bound {
				rows = append(rows, []string{b.Action, b.Keys, b.Note})
			}
			return command.Output{Lines: append(append(table.Lines("lll", rows), faults...), "",
				"Other keys for an action are set in "+d.KeysFile+`: {"keys": {"stash": ["ctrl+x"]}}`,
				"Press a key to see what it does; Esc ends that."), TestsKeys: true}, nil
		},
	}
}

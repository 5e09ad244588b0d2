package command

import (
	"context"
	"errors"
	"strings"

	"agent/internal/table"
)

func (c *Commands) helpCommand() Command {
	return Command{
		Name: "help", Aliases: []string{"h", "?"}, MaxArgs: 1,
		Usage: []Form{{"", "list the commands"}, {"COMMAND", "explain one"}},
		Help:  "list the commands, or explain one",
		Run: func(_ context.Context, args []string) (Output, error) {
			if len(args) == 0 {
				return Output{Lines: c.overview()}, nil
			}
			command, err := c.find(strings.TrimPrefix(args[0], "/"))
			if err != nil {
				return Output{}, err
			}
			return Output{Lines: command.explain()}, nil
		},
		Complete: func([]string) []Completion {
			var names []Completion
			for _, command := range c.all {
				names = append(names, Completion{Value: command.Name, Help: command.Help})
			}
			for _, file := range c.callable() {
				names = append(names, Completion{Value: file.Name, Help: file.Help})
			}
			return names
		},
	}
}

func (c *Commands) overview() []string {
	var rows [][]string
	for _, command := range c.all {
		rows = append(rows, []string{"/" + command.Name, command.Help})
	}
	for _, file := range c.callable() {
		rows = append(rows, []string{strings.TrimSpace("/" + file.Name + " " + file.Hint), file.Help})
	}
	rows = append(rows,
		[]string{"!CMD", "run a shell command yourself"},
		[]string{"@PATH", "put a file or a folder into your message"})
	lines := append(table.Lines("ll", rows), "", "/help COMMAND explains one; Tab completes names and values.")
	if len(c.deps.Keys) == 0 {
		return lines
	}
	rows = nil
	for _, key := range c.deps.Keys {
		rows = append(rows, []string{key.Name, key.Does})
	}
	return append(append(lines, ""), table.Lines("ll", rows)...)
}

// explain describes one command in full.
func (c Command) explain() []string {
	lines := []string{"/" + c.Name + ": " + c.Help}
	var rows [][]string
	for i, form := range c.forms() {
		row := []string{"  " + form}
		if len(c.Usage) > 0 {
			row = append(row, c.Usage[i].Does)
		}
		rows = append(rows, row)
	}
	lines = append(lines, table.Lines("ll", rows)...)
	if len(c.Aliases) > 0 {
		lines = append(lines, "also /"+strings.Join(c.Aliases, ", /"))
	}
	return lines
}

func (c *Commands) keysCommand() Command {
	return Command{
		Name: "keys",
		Help: "show which keys do what, and test one",
		Run: func(context.Context, []string) (Output, error) {
			if len(c.deps.Bound) == 0 {
				return Output{}, errors.New("keys are the screen's, and there is none here")
			}
			var rows [][]string
			for _, b := range c.deps.Bound {
				rows = append(rows, []string{b.Action, b.Keys, b.Note})
			}
			return Output{Lines: append(table.Lines("lll", rows), "",
				"Other keys for an action are set in "+c.deps.KeysFile+`: {"keys": {"stash": ["ctrl+x"]}}`,
				"Press a key to see what it does; Esc ends that."), TestsKeys: true}, nil
		},
	}
}

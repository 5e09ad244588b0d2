package command

import (
	"context"
	"strings"

	"agent/internal/table"
)

// help is the command that explains the others.
func (c *Commands) help() Command {
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

// overview lists the commands and the keys.
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
	if c.keys == nil {
		return lines
	}
	rows = nil
	for _, key := range c.keys() {
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

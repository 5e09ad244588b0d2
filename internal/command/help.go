package command

import (
	"context"
	"strings"

	"agent/internal/table"
)

// help returns the command that explains the others.
func (c *Commands) help() Command {
	return Command{
		Name: "help", Aliases: []string{"h", "?"}, Help: "list the commands, or explain one",
		Forms: []Form{
			{Does: "list the commands", Run: Say(func(context.Context, []string) ([]string, error) { return c.overview(), nil })},
			{Args: "COMMAND", Does: "explain one", Run: Say(c.explain), Complete: func([]string) (names []Completion) {
				for _, command := range c.all {
					names = append(names, Completion{Value: command.Name, Help: command.Help})
				}
				for _, file := range c.callable() {
					names = append(names, Completion{Value: file.Name, Help: file.Help})
				}
				return names
			}},
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
func (c *Commands) explain(_ context.Context, names []string) ([]string, error) {
	command, err := c.find(strings.TrimPrefix(names[0], "/"))
	if err != nil {
		return nil, err
	}
	var rows [][]string
	for _, form := range command.Forms {
		rows = append(rows, []string{"  " + command.typedForm(form), form.Does})
	}
	lines := append([]string{"/" + command.Name + ": " + command.Help}, table.Lines("ll", rows)...)
	if len(command.Aliases) > 0 {
		lines = append(lines, "also /"+strings.Join(command.Aliases, ", /"))
	}
	return lines, nil
}

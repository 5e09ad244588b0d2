package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"agent/internal/base/table"
)

func (c *Commands) help() Command {
	return Command{
		Name: "help", Aliases: []string{"h", "?", "docs"}, Help: "list commands, or search the docs", Raw: true,
		Forms: []Form{
			{Does: "list the commands", Run: ShowLines(func(context.Context, []string) ([]string, error) { return c.overview(), nil })},
			{Args: "WORDS…", Rest: true, Does: "explain a command, or search the documentation", Run: c.explain, Complete: func([]string) (names []Completion) {
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
	group := ""
	for _, command := range c.all {
		if command.Group != group {
			group = command.Group
			rows = append(rows, []string{""}, []string{group})
		}
		rows = append(rows, []string{"  /" + command.Name, command.Help})
	}
	if len(c.callable()) > 0 {
		rows = append(rows, []string{""}, []string{"Skills and command files"})
	}
	for _, file := range c.callable() {
		rows = append(rows, []string{"  /" + file.Name, file.Help})
	}
	rows = append(rows, []string{""}, []string{"In a message"},
		[]string{"  !CMD", "run a shell command yourself"},
		[]string{"  @PATH", "include a file or a folder"})
	lines := append(table.Lines("ll", rows), "", "/help WORDS explains a command or searches the docs.")
	if c.keys == nil {
		return lines
	}
	rows = nil
	for _, key := range c.keys() {
		rows = append(rows, []string{key.Name, key.Does})
	}
	return append(append(lines, ""), table.Lines("ll", rows)...)
}

// explain describes one command in full, or searches the documentation for words.
func (c *Commands) explain(_ context.Context, args []string) (Output, error) {
	words := strings.Fields(strings.Join(args, " "))
	command, err := c.find(strings.TrimPrefix(words[0], "/"))
	if len(words) > 1 || err != nil && !strings.HasPrefix(words[0], "/") {
		if c.Answer == nil {
			return Output{}, cmp.Or(err, errors.New("the documentation is not available here"))
		}
		lines, text := c.Answer(strings.Join(words, " "))
		if len(lines) == 0 && text == "" {
			return Output{}, fmt.Errorf("nothing found for %q. Run: /help", strings.Join(words, " "))
		}
		return Output{Lines: lines, Answer: text}, nil
	}
	if err != nil {
		return Output{}, err
	}
	var rows [][]string
	for _, form := range command.Forms {
		rows = append(rows, []string{"  " + command.typedForm(form), form.Does})
	}
	lines := append([]string{"/" + command.Name + ": " + command.Help}, table.Lines("ll", rows)...)
	if len(command.Aliases) > 0 {
		lines = append(lines, "also /"+strings.Join(command.Aliases, ", /"))
	}
	return Output{Lines: lines}, nil
}

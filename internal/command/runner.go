package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"agent/internal/nearest"
)

// Commands is the Runner of all slash commands.
type Commands struct {
	all   []Command
	files func() []Callable
	keys  func() []Key
}

// New returns commands, in the order /help shows them behind itself. Files lists those
// that are files, nil for none; keys are those of the screen, for /help.
func New(files func() []Callable, keys func() []Key, all ...Command) *Commands {
	c := &Commands{files: files, keys: keys}
	c.all = append([]Command{c.help()}, all...)
	return c
}

// All returns the declarations of all commands, in the order /help shows them.
func (c *Commands) All() []Command { return slices.Clone(c.all) }

// Run implements Runner.
func (c *Commands) Run(ctx context.Context, line string) (Output, error) {
	if c.Sends(line) {
		return Output{Submit: line}, nil
	}
	name, args, err := parse(line)
	if err != nil {
		return Output{}, err
	}
	return c.RunArgs(ctx, name, args)
}

// RunArgs runs the command of that name or alias with arguments that are already
// cut apart, for callers with a command line of their own.
func (c *Commands) RunArgs(ctx context.Context, name string, args []string) (Output, error) {
	command, err := c.find(name)
	if err != nil {
		return Output{}, err
	}
	return command.run(ctx, args)
}

// find returns the command with that name or alias, letter case aside.
func (c *Commands) find(name string) (Command, error) {
	var names []string
	for _, command := range c.all {
		for _, known := range append([]string{command.Name}, command.Aliases...) {
			if strings.EqualFold(known, name) {
				return command, nil
			}
			names = append(names, "/"+known)
		}
	}
	if file, found := c.called(name); found {
		return file.command(), nil
	}
	for _, file := range c.callable() {
		names = append(names, "/"+file.Name)
	}
	return Command{}, fmt.Errorf("unknown command /%s%s (/help lists all)", name, nearest.Question("/"+name, names))
}

package command

import (
	"context"
	"errors"
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
	if len(args) > command.MaxArgs {
		return Output{}, command.Misused()
	}
	return command.Run(ctx, args)
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

// forms are the ways to type the command, with its name.
func (c Command) forms() []string {
	if len(c.Usage) == 0 {
		return []string{"/" + c.Name}
	}
	forms := make([]string, len(c.Usage))
	for i, form := range c.Usage {
		forms[i] = strings.TrimSpace("/" + c.Name + " " + form.Args)
	}
	return forms
}

// Misused is the error for arguments that the command does not take.
func (c Command) Misused() error {
	if len(c.Usage) == 0 {
		return errors.New(c.Takes())
	}
	return errors.New("too many arguments; " + c.Takes())
}

// Takes says how the command is typed, its name once.
func (c Command) Takes() string {
	name := "/" + c.Name
	var alone bool
	var forms []string
	for _, form := range c.forms() {
		if args := strings.TrimSpace(strings.TrimPrefix(form, name)); args == "" {
			alone = true
		} else {
			forms = append(forms, args)
		}
	}
	text := name + " takes "
	switch last := len(forms) - 1; last {
	case -1:
		return text + "no arguments"
	case 0:
		text += forms[0]
	default:
		text += strings.Join(forms[:last], ", ") + " or " + forms[last]
	}
	if alone {
		text += ", or stands alone"
	}
	return text
}

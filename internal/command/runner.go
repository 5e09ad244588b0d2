package command

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"agent/internal/base/suggest"
)

// Commands is the Runner of all slash commands.
type Commands struct {
	all   []Command
	files func() []Callable
	keys  func() []Key
	// elsewhere maps names of commands of other programs to the answer that is shown for them.
	elsewhere map[string]string
	// Answer searches the documentation for words. text is the answer in Markdown, or "" for none. lines
	// name matching commands and settings. Answer is nil without documentation.
	Answer func(words string) (lines []string, text string)
}

// New returns commands, in the order in which /help shows them after itself. files lists the commands that
// are files; it may be nil. keys returns the keys of the screen, for /help. elsewhere maps names of
// commands of other programs to the answer that is shown for them.
func New(files func() []Callable, keys func() []Key, elsewhere map[string]string, all ...Command) *Commands {
	c := &Commands{files: files, keys: keys, elsewhere: elsewhere}
	c.all = append([]Command{c.help()}, all...)
	return c
}

// All returns the declarations of all commands, in the order in which /help shows them.
func (c *Commands) All() []Command { return slices.Clone(c.all) }

// Run implements Runner.
func (c *Commands) Run(ctx context.Context, line string) (Output, error) {
	if c.SendsMessage(line) {
		return Output{Submit: line}, nil
	}
	name, args, err := c.parse(line)
	if err != nil {
		return Output{}, err
	}
	return c.RunArgs(ctx, name, args)
}

func (c *Commands) parse(line string) (name string, args []string, err error) {
	line = strings.TrimSpace(line)
	word := strings.Fields(line + " /")[0]
	if command, found := c.builtIn(strings.TrimPrefix(word, "/")); found && command.Raw {
		if rest := strings.TrimSpace(line[len(word):]); rest != "" {
			args = []string{rest}
		}
		return command.Name, args, nil
	}
	return parse(line)
}

// RunArgs runs the command with a name or alias. args are already split, for callers that parse the command
// line themselves.
func (c *Commands) RunArgs(ctx context.Context, name string, args []string) (Output, error) {
	command, err := c.find(name)
	if err != nil {
		return Output{}, err
	}
	return command.run(ctx, args)
}

// find returns the command with a name, built-in or from a file, ignoring case.
func (c *Commands) find(name string) (Command, error) {
	if command, found := c.builtIn(name); found {
		return command, nil
	}
	if file, found := c.fileOf(name); found {
		return file.command(), nil
	}
	if answer := c.elsewhere[strings.ReplaceAll(strings.ToLower(name), "_", "-")]; answer != "" {
		return Command{}, fmt.Errorf("unknown command /%s. %s", name, answer)
	}
	var names []string
	for _, command := range c.all {
		names = append(names, "/"+command.Name)
		for _, alias := range command.Aliases {
			names = append(names, "/"+alias)
		}
	}
	for _, file := range c.callable() {
		names = append(names, "/"+file.Name)
	}
	return Command{}, fmt.Errorf("unknown command /%s%s", name, cmp.Or(suggest.Question("/"+name, names), ". Run: /help"))
}

// A Callable is a skill or a command that is a file. A line that begins with its name is a message, to
// which the text of the file is added.
type Callable struct {
	Name, Help string
	// Hint describes the arguments of the command.
	Hint string
	// File is the path of the file, for display.
	File string
	// Origin is "project" or "user".
	Origin string
}

// MaxHelp limits a description in a list, in characters.
const MaxHelp = 100

// callable lists the commands that are files. If a file has the name of a built-in command, its origin is
// added as a prefix.
func (c *Commands) callable() []Callable {
	if c.files == nil {
		return nil
	}
	var all []Callable
	for _, file := range c.files() {
		if _, taken := c.builtIn(file.Name); taken {
			file.Name = file.Origin + ":" + file.Name
		}
		all = append(all, file)
	}
	return all
}

// builtIn returns the built-in command with a name or alias, ignoring case.
func (c *Commands) builtIn(name string) (Command, bool) {
	for _, command := range c.all {
		for _, known := range append([]string{command.Name}, command.Aliases...) {
			if strings.EqualFold(known, name) {
				return command, true
			}
		}
	}
	return Command{}, false
}

// IsBuiltIn reports whether a line calls a built-in command. Other lines may be messages.
func (c *Commands) IsBuiltIn(line string) bool {
	word, _, _ := strings.Cut(strings.TrimSpace(line), " ")
	name, slash := strings.CutPrefix(word, "/")
	_, found := c.builtIn(name)
	return slash && found
}

// SendsMessage implements Runner. It also accepts names with an origin prefix, such as project:review.
func (c *Commands) SendsMessage(line string) bool {
	word := strings.Fields(line + " /")[0]
	name, slash := strings.CutPrefix(word, "/")
	if !slash {
		return false
	}
	_, found := c.fileOf(name)
	return found
}

func (c *Commands) fileOf(name string) (Callable, bool) {
	bare := strings.TrimPrefix(strings.TrimPrefix(name, "project:"), "user:")
	if _, taken := c.builtIn(name); c.files == nil || taken && bare == name {
		return Callable{}, false
	}
	for _, file := range c.files() {
		if file.Name == name || file.Name == bare {
			return file, true
		}
	}
	return Callable{}, false
}

// command returns the file as a command, for /help and for completing its arguments.
func (f Callable) command() Command {
	does := f.Help
	if f.File != "" {
		does += " (" + f.File + ")"
	}
	return Command{Name: f.Name, Help: f.Help, Forms: []Form{{Args: f.Hint, Does: does}}}
}

package command

import "strings"

// Callable is a skill or a command that is a file: a line that begins with its name is a
// message, which the file's text joins.
type Callable struct {
	Name, Help string
	// Hint says what arguments it takes.
	Hint string
	// File is where it is written, for people.
	File string
	// Origin is "project" or "user".
	Origin string
}

// MaxHelp bounds what a list shows of a description, in characters.
const MaxHelp = 100

// callable lists them. One whose name a command of the program has is called with its
// origin before it.
func (c *Commands) callable() []Callable {
	if c.files == nil {
		return nil
	}
	var all []Callable
	for _, file := range c.files() {
		if c.builtIn(file.Name) {
			file.Name = file.Origin + ":" + file.Name
		}
		all = append(all, file)
	}
	return all
}

// builtIn reports whether a command of the program has that name or alias.
func (c *Commands) builtIn(name string) bool {
	for _, command := range c.all {
		for _, known := range append([]string{command.Name}, command.Aliases...) {
			if strings.EqualFold(known, name) {
				return true
			}
		}
	}
	return false
}

// Sends implements Runner. A name with its origin before it, such as project:review, is
// one too.
func (c *Commands) Sends(line string) bool {
	word := strings.Fields(line + " /")[0]
	name, slash := strings.CutPrefix(word, "/")
	if !slash {
		return false
	}
	_, found := c.called(name)
	return found
}

// called returns the file that a name calls.
func (c *Commands) called(name string) (Callable, bool) {
	bare := strings.TrimPrefix(strings.TrimPrefix(name, "project:"), "user:")
	if c.files == nil || bare == name && c.builtIn(name) {
		return Callable{}, false
	}
	for _, file := range c.files() {
		if file.Name == name || file.Name == bare {
			return file, true
		}
	}
	return Callable{}, false
}

// command is the file as a command, for help and for lines that are run.
func (f Callable) command() Command {
	does := f.Help
	if f.File != "" {
		does += " (" + f.File + ")"
	}
	return Command{Name: f.Name, Help: f.Help, Forms: []Form{{Args: f.Hint, Does: does}}}
}

// Package projectcheck runs the project's own check before the first edit of a turn and after the
// last one. The model then receives only the problems that its edits have caused. The package does
// not depend on the turn loop and does not handle approvals.
package projectcheck

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"agent/internal/cmdline"
)

// The special values of the setting check-command.
const (
	// Auto selects the check that the files of the project suggest.
	Auto = "auto"
	// Off means no check, like an empty value.
	Off = "off"
	// Server means that a language server checks each edited file.
	Server = "language-server"
)

// Limit is the time limit of one run of a check.
const Limit = 20 * time.Second

// mostCommands is the greatest number of commands that are run for one turn.
const mostCommands = 4

// A Command is a check: a shell command and the folder in which to run it, relative to the
// workspace, or a file that a language server checks.
type Command struct {
	Line, Dir string
	// File is the file for a language server, relative to the workspace. It is empty for a shell command.
	File string
	// Found is set if the files of the project suggested the check.
	Found bool
}

func (c Command) String() string {
	switch {
	case c.File != "":
		return Server + " in " + c.File
	case c.Dir == ".":
		return c.Line
	}
	return c.Line + " in " + c.Dir
}

// A Finding holds the new output of a check.
type Finding struct {
	Command Command
	// Lines holds the first new lines.
	Lines []string
	// All is the number of all new lines.
	All int
}

// Checks holds the checks of a conversation. It is safe for concurrent use.
type Checks struct {
	// Setting returns the current value of check-command.
	Setting func() string
	// Root is the workspace.
	Root string
	// Served reports whether a language server can check a file.
	Served func(file string) bool
	// Run runs a command and returns its output. It returns soon after ctx ends.
	Run func(context.Context, Command) (string, error)

	mu sync.Mutex
	// turn lists the checks of this turn in the order of their first edits.
	turn []*looked
	// edited is set if an edit was made.
	edited bool
	// done is set if the checks have run after the edits.
	done bool
	// off holds the checks that no longer run in this conversation.
	off map[Command]bool
}

// A looked is a check in a turn.
type looked struct {
	Command
	// allowed is set if the check may run.
	allowed bool
	// ran is set if the check has run before the edits.
	ran bool
	// before is the output of the check before the edits.
	before string
}

// BeginTurn begins a turn.
func (c *Checks) BeginTurn() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.turn, c.edited, c.done = nil, false, false
}

// Due returns the check commands for files that this turn has not considered yet. The paths are
// relative to the workspace.
func (c *Checks) Due(files []string) []Command {
	c.mu.Lock()
	defer c.mu.Unlock()
	var due []Command
	for _, file := range files {
		command, ok := c.of(file)
		if !ok || c.done || c.off[command] || len(c.turn)+len(due) == mostCommands || slices.Contains(due, command) {
			continue
		}
		if !slices.ContainsFunc(c.turn, func(l *looked) bool { return l.Command == command }) {
			due = append(due, command)
		}
	}
	return due
}

func (c *Checks) of(file string) (Command, bool) {
	switch line := strings.TrimSpace(c.Setting()); line {
	case "", Off:
		return Command{}, false
	case Auto:
		return find(c.Root, file)
	case Server:
		return Command{File: file}, c.Served(file)
	default:
		return Command{Line: strings.ReplaceAll(line, "{dir}", cmdline.Quote(filepath.Dir(file))), Dir: "."}, true
	}
}

// Allow permits a check to run in this turn.
func (c *Checks) Allow(command Command) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.turn = append(c.turn, &looked{Command: command, allowed: true})
}

// Disable prevents a check from running again in this conversation.
func (c *Checks) Disable(command Command) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.off == nil {
		c.off = map[Command]bool{}
	}
	c.off[command] = true
	c.turn = slices.DeleteFunc(c.turn, func(l *looked) bool { return l.Command == command })
}

// RunBefore runs the allowed checks that have not run yet. It drops a check that cannot run, and adds
// a line for the user to problems.
func (c *Checks) RunBefore(ctx context.Context) (problems []string) {
	for _, l := range c.pending(false) {
		printed, err := c.Run(ctx, l.Command)
		if ctx.Err() != nil {
			return problems
		}
		if err != nil {
			c.Disable(l.Command)
			problems = append(problems, fmt.Sprintf("The check %s is no longer run: %v", l.Command, err))
			continue
		}
		c.mu.Lock()
		l.before, l.ran = printed, true
		c.mu.Unlock()
	}
	return problems
}

// MarkEdited records that an edit was made.
func (c *Checks) MarkEdited() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.edited = true
}

// RunAfter runs the checks after the edits, once per turn, and returns their new lines.
func (c *Checks) RunAfter(ctx context.Context) (findings []Finding, problems []string) {
	c.mu.Lock()
	due := c.edited && !c.done
	c.done = c.done || due
	c.mu.Unlock()
	if !due {
		return nil, nil
	}
	for _, l := range c.pending(true) {
		printed, err := c.Run(ctx, l.Command)
		switch {
		case ctx.Err() != nil:
			return nil, problems
		case err != nil:
			problems = append(problems, fmt.Sprintf("the check %s did not run: %v", l.Command, err))
		default:
			if lines, all := newLines(l.before, printed); all > 0 {
				findings = append(findings, Finding{l.Command, lines, all})
			}
		}
	}
	return findings, problems
}

// pending returns the allowed checks. If ran is set, it returns those that have run before the
// edits, otherwise the others.
func (c *Checks) pending(ran bool) []*looked {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []*looked
	for _, l := range c.turn {
		if l.allowed && l.ran == ran {
			all = append(all, l)
		}
	}
	return all
}

// ErrMissing is the error for a check whose program cannot be run.
var ErrMissing = errors.New("its program is missing or not executable")

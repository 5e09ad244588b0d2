// Package command declares, parses, completes and runs slash commands. It knows no screen: a
// command returns an Output, which the terminal and the headless mode render in their own ways.
// The commands themselves are in package slash.
//
// A Command declares its forms, and Commands runs, completes and explains all of them. /help with
// words that are no command asks the Answer of Commands, which searches the documentation.
package command

import "context"

// Output holds the text that a command shows and its requests to the caller.
type Output struct {
	// Lines holds the text to show, without colour codes.
	Lines []string
	// Pick is a list to choose from, which a screen shows in place of Lines.
	Pick *Pick
	// Bar is drawn above Lines if it is set (/context).
	Bar *Bar
	// Answer is what a model answered, in Markdown, shown below Lines (/btw).
	Answer string
	// Diff is a unified diff shown below Lines (/diff).
	Diff string
	// Copy is text for the clipboard (/copy); without a screen it is printed.
	Copy string
	// Ask is a question to the user, which a screen shows in place of Lines and Diff.
	Ask *Ask
	// NewConversation is set if a new conversation follows.
	NewConversation bool
	// TestsKeys makes the screen describe each key that is pressed.
	TestsKeys bool
	// Quit ends the program.
	Quit bool
	// Submit is sent to the model as if the user had typed it.
	Submit string
	// Outside needs the terminal for itself; nil for nothing.
	Outside *Outside
}

// An Outside is a command line that needs the terminal, and the function that runs it there. An
// interface that can't lend its terminal shows the line.
type Outside struct {
	Line string
	Run  func() error
}

// An Ask is a question about an action that a command would take.
type Ask struct {
	// Done lists the actions that the command has taken already, shown before the question.
	Done []string
	// Title is the question in a line; Parts lists its subjects.
	Title string
	Parts []AskPart
	// YesEffect describes the effect of yes in a few words, and YesCommand is the command line that yes runs.
	YesEffect, YesCommand string
	// Yes runs in place of YesCommand if it is set. It does exactly this action, or nothing.
	Yes func(ctx context.Context) (Output, error)
	// Secret makes the question ask for a line that is not shown, and takes the line. Nil asks for yes
	// or no.
	Secret func(ctx context.Context, line string) (Output, error)
	// Current reports whether the question is not outdated; nil means always. A screen drops an
	// outdated question.
	Current func() bool
	// NoEffect describes the effect of no, and NoLine is the line shown then; empty if no leaves
	// everything unchanged.
	NoEffect, NoLine string
	// NeverEffect describes the effect of a third answer in a few words, and NeverCommand is the command
	// line that it runs; empty if there are two answers.
	NeverEffect, NeverCommand string
}

// An AskPart is one subject of an Ask: a line, and below it a unified diff, further lines, or
// nothing.
type AskPart struct {
	Title, Diff string
	Lines       []string
}

// A Completion is one proposal for the word under the cursor.
type Completion struct {
	// Value replaces the word being completed.
	Value string
	// Help is one line.
	Help string
	// Loses is set for a command that gives something up. Its proposal is filled in but not run,
	// so that half a word loses nothing.
	Loses bool
}

// A Runner runs and completes command lines. A line is the whole input, starting with "/".
type Runner interface {
	// Run executes a line. Errors are for the user who typed the line.
	Run(ctx context.Context, line string) (Output, error)
	// Complete proposes values for the last word of line (the text up to the
	// cursor), best first; start is where that word begins, in bytes.
	Complete(line string) (start int, proposals []Completion)
	// Sends reports whether a line is a message to the model, because it calls a skill or a
	// command that is a file.
	Sends(line string) bool
}

// A Form is one way to type a command.
type Form struct {
	// Args holds the words after the name of the command. A word with capitals stands for a
	// value, and a word in brackets for an optional value; the others are typed as they are.
	Args string
	// Does describes the effect of this form; "" if the Help of the command describes it.
	Does string
	// Rest is set if the last word of Args stands for all remaining words.
	Rest bool
	// Run runs the form; nil if another form with the same words runs it.
	Run Run
	// Complete proposes the value after the given values; the caller keeps the proposals that
	// match. Nil proposes nothing.
	Complete func(values []string) []Completion
}

// Run runs a command with its values, which have no quotes.
type Run func(ctx context.Context, values []string) (Output, error)

// Say returns a Run that shows lines.
func Say(lines func(ctx context.Context, values []string) ([]string, error)) Run {
	return func(ctx context.Context, values []string) (Output, error) {
		said, err := lines(ctx, values)
		return Output{Lines: said}, err
	}
}

// A Command declares one slash command completely.
type Command struct {
	// Name is typed after the slash; Aliases work as well.
	Name    string
	Aliases []string
	// Help is one line.
	Help string
	// Group is the title under which /help lists the command.
	Group string
	// Loses is set if the command gives up something that no other command brings back here: the
	// context, or the open session.
	Loses bool
	// Raw is set if the rest of the line is one value as it was typed: quotes and spaces mean
	// nothing in it.
	Raw bool
	// Forms lists the ways to type the command.
	Forms []Form
}

// Group returns commands with the title of their group.
func Group(title string, commands ...Command) []Command {
	for i := range commands {
		commands[i].Group = title
	}
	return commands
}

// Key describes a key of the screen, for people.
type Key struct{ Name, Does string }

// Bound describes an action of the prompt and its keys. Note names the origin of the keys, "" for
// the program.
type Bound struct{ Action, Keys, Note string }

// A Job is a command in the background.
type Job struct {
	ID      int
	Command string
	Live
}

// Live reports the present state of a job. Its methods may be called from any goroutine.
type Live interface {
	Running() bool
	// State returns the time since which the job has run, or the way it ended.
	State() string
	// Tail returns the end of its output.
	Tail() string
	// Spool returns the path of the file with its whole output, "" for none.
	Spool() string
}

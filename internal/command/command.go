// Package command is what a slash command is: how it is declared, parsed, completed and
// run. It knows no screen; what a command shows is an Output value that the terminal and
// the headless mode render their own way. The commands themselves are in package slash.
package command

import "context"

// Output is what a command shows and what it asks of its caller.
type Output struct {
	// Lines are the text to show, without colour codes.
	Lines []string
	// Pick is a list to choose from, which a screen shows in place of Lines.
	Pick *Pick
	// Bar is drawn above Lines when present (/context).
	Bar *Bar
	// Diff is a unified diff shown below Lines (/diff).
	Diff string
	// Copy is sent to the clipboard (/copy); without a screen it is printed.
	Copy string
	// Ask is a question to the person, which a screen shows in place of Lines and Diff.
	Ask *Ask
	// Fresh is set when what comes after is a new conversation.
	Fresh bool
	// TestsKeys has the screen say what keys do that are pressed.
	TestsKeys bool
	// Quit ends the program.
	Quit bool
	// Submit is sent to the model as if the user had typed it.
	Submit string
}

// Ask is a question about what a command would do, or do besides.
type Ask struct {
	// Done are lines about what the command has done already, shown before the question.
	Done []string
	// Title says it in a line; Parts are what it is about.
	Title string
	Parts []AskPart
	// Does is what yes does, in a few words, and Run the line that does it.
	Does, Run string
	// No is what no does, and Left what is said then; empty for leaving all as it is.
	No, Left string
	// Never is what a third answer does, in a few words, and RunNever the line that does
	// it; empty where there are two answers.
	Never, RunNever string
}

// AskPart is a part of what is asked about: a line, and a unified diff, further lines, or
// nothing.
type AskPart struct {
	Title, Diff string
	Lines       []string
}

// Completion is one proposal for the word under the cursor.
type Completion struct {
	// Value replaces the word being completed.
	Value string
	// Help is one line.
	Help string
	// Loses is set for a command that gives something up: a proposal of it is filled in
	// and not run, so that half a word loses nothing.
	Loses bool
}

// Runner runs and completes command lines. A line is the whole input, starting
// with "/".
type Runner interface {
	// Run executes a line. Errors are for the person that typed it.
	Run(ctx context.Context, line string) (Output, error)
	// Complete proposes values for the last word of line (the text up to the
	// cursor), best first; start is where that word begins, in bytes.
	Complete(line string) (start int, proposals []Completion)
	// Sends reports whether a line is a message to the model: it calls a skill or a
	// command that is a file.
	Sends(line string) bool
}

// Form is one way to type a command.
type Form struct {
	// Args are the words behind the command's name. A word with capitals represents a value,
	// one in brackets a value that may be left out; the others are typed as they are.
	Args string
	// Does is what the command then does; "" where its Help says it.
	Does string
	// Rest is set when all words from the last of Args on are values.
	Rest bool
	// Run does it; nil for a form that another one of the same words runs.
	Run Run
	// Complete proposes the value after those that are typed; the caller picks those that
	// match. Nil when there is nothing to propose.
	Complete func(values []string) []Completion
}

// Run runs a command with its values, which have no quotes.
type Run func(ctx context.Context, values []string) (Output, error)

// Say is a Run that shows lines.
func Say(lines func(ctx context.Context, values []string) ([]string, error)) Run {
	return func(ctx context.Context, values []string) (Output, error) {
		said, err := lines(ctx, values)
		return Output{Lines: said}, err
	}
}

// Command declares one slash command completely.
type Command struct {
	// Name is what is typed after the slash; Aliases work as well.
	Name    string
	Aliases []string
	// Help is one line.
	Help string
	// Loses is set when running it gives up something that no other command brings back
	// here: the context, the session that is open.
	Loses bool
	// Forms are the ways to type it.
	Forms []Form
}

// Key is a key of the screen, for people.
type Key struct{ Name, Does string }

// Bound is an action of the prompt and its keys; Note says whose they are, "" for the
// program's.
type Bound struct{ Action, Keys, Note string }

// Job is a command in the background.
type Job struct {
	ID      int
	Command string
	Live
}

// Live is what is known of a job now. Its methods may be called from any goroutine.
type Live interface {
	Running() bool
	// State says since when it runs, or how it ended.
	State() string
	// Tail is the end of what it printed.
	Tail() string
	// Spool is the file with all of it, "" for none.
	Spool() string
}

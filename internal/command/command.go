// Package command declares, parses, completes and runs slash commands. It does not depend on a screen: a
// command returns an Output, which the terminal and the non-interactive mode show in different ways. The
// commands themselves are in package slash.
//
// A Command declares its forms, and Commands runs, completes and explains all of them. For /help with words
// that are not a command, Commands.Answer searches the documentation.
package command

import "context"

// Output holds the text that a command shows and its requests to the caller.
type Output struct {
	// Lines holds the text to show, without color codes.
	Lines []string
	// Pick is a list to choose from, which a screen shows in place of Lines.
	Pick *ChoiceList
	// Bar is shown above Lines if it is set (/context).
	Bar *Bar
	// Answer is the answer of a model, in Markdown. It is shown below Lines (/btw).
	Answer string
	// Diff is a unified diff shown below Lines (/diff).
	Diff string
	// Copy is text for the clipboard (/copy); without a screen it is printed.
	Copy string
	// Ask is a question to the user, which a screen shows in place of Lines and Diff.
	Ask *Question
	// NewConversation is set if a new conversation begins after the command.
	NewConversation bool
	// TestsKeys makes the screen describe each key that is pressed.
	TestsKeys bool
	// Quit is set if the program must end.
	Quit bool
	// Submit is a text to send to the model as if the user had typed it.
	Submit string
	// Outside is a program that needs the terminal, or nil for none.
	Outside *TerminalProgram
}

// An TerminalProgram is a command line that needs the terminal, and the function that runs it there. An interface
// that can't release its terminal shows the command line.
type TerminalProgram struct {
	Line string
	Run  func() error
}

// An Question is a question about an action that a command would perform.
type Question struct {
	// Done lists the actions that the command has already performed. They are shown before the question.
	Done []string
	// Title is the question in a line; Parts lists its subjects.
	Title string
	Parts []QuestionPart
	// YesEffect describes the effect of yes in a few words. YesCommand is the command line that yes runs.
	YesEffect, YesCommand string
	// Yes runs in place of YesCommand if it is set. It performs exactly this action, or none.
	Yes func(ctx context.Context) (Output, error)
	// Secret receives a line that is not shown while the user types it. If Secret is nil, the question asks
	// for yes or no.
	Secret func(ctx context.Context, line string) (Output, error)
	// Current reports whether the question is still valid. If it is nil, the question is always valid. A
	// screen removes an outdated question.
	Current func() bool
	// NoEffect describes the effect of no, and NoLine is the line that is shown then. Both are empty if no
	// leaves everything unchanged.
	NoEffect, NoLine string
	// NeverEffect describes the effect of a third answer in a few words, and NeverCommand is the command
	// line that it runs. Both are empty if there are two answers.
	NeverEffect, NeverCommand string
}

// An QuestionPart is one subject of an Ask: a line, and below it a unified diff, further lines, or
// nothing.
type QuestionPart struct {
	Title, Diff string
	Lines       []string
}

// A Completion is one proposal for the word under the cursor.
type Completion struct {
	// Value replaces the word being completed.
	Value string
	// Help is one line.
	Help string
	// Loses is set for a command that discards something. Its proposal is filled in but not run, so that a
	// half-typed word discards nothing.
	Loses bool
}

// A Runner runs and completes command lines. A line is the whole input, beginning with "/".
type Runner interface {
	// Run executes a line. Errors are for the user who typed the line.
	Run(ctx context.Context, line string) (Output, error)
	// Complete proposes values for the last word of line, best first. line is the text up to the cursor.
	// start is the position of that word, in bytes.
	Complete(line string) (start int, proposals []Completion)
	// SendsMessage reports whether a line is a message to the model, because it calls a skill or a
	// command that is a file.
	SendsMessage(line string) bool
}

// A Form is one way to type a command.
type Form struct {
	// Args holds the words after the name of the command. A word with capitals represents a value, and a
	// word in brackets an optional value. The user types all other words literally.
	Args string
	// Does describes the effect of this form; "" if the Help of the command describes it.
	Does string
	// Rest is set if the last word of Args represents all remaining words.
	Rest bool
	// Run runs the form. It is nil if another form with the same words runs it.
	Run RunFunc
	// Complete proposes the value after the given values. The caller keeps the proposals that match. If it
	// is nil, there are no proposals.
	Complete func(values []string) []Completion
}

// RunFunc runs a command with its values. The quotes around values are already removed.
type RunFunc func(ctx context.Context, values []string) (Output, error)

// ShowLines returns a Run that shows lines.
func ShowLines(lines func(ctx context.Context, values []string) ([]string, error)) RunFunc {
	return func(ctx context.Context, values []string) (Output, error) {
		said, err := lines(ctx, values)
		return Output{Lines: said}, err
	}
}

// A Command declares one slash command completely.
type Command struct {
	// Name is typed after the slash. Aliases are other names.
	Name    string
	Aliases []string
	// Help is one line.
	Help string
	// Group is the title under which /help lists the command.
	Group string
	// Loses is set if the command discards something that no other command restores: the context, or the
	// open session.
	Loses bool
	// Raw is set if the rest of the line is a single value. Quotes and spaces have no special meaning in
	// it.
	Raw bool
	// Forms lists the forms of the command.
	Forms []Form
}

// Group returns the commands with their group set to title.
func Group(title string, commands ...Command) []Command {
	for i := range commands {
		commands[i].Group = title
	}
	return commands
}

// Key describes a key of the screen, as text for people.
type Key struct{ Name, Does string }

// KeyBinding describes an action of the prompt and its keys. Note is the origin of the keys, or "" for the
// defaults of the program.
type KeyBinding struct{ Action, Keys, Note string }

// A Job is a command in the background.
type Job struct {
	ID      int
	Command string
	LiveJob
}

// LiveJob reports the current state of a job. Its methods may be called from any goroutine.
type LiveJob interface {
	Running() bool
	// State returns how long the job has run, or how it ended.
	State() string
	// Tail returns the end of the job's output.
	Tail() string
	// Spool returns the path of the file with the whole output of the job, or "" for none.
	Spool() string
}

// Package command holds the slash commands: parsing, completion and effect, one
// file a command. It knows no screen; what a command shows is an Output value
// that the terminal and the headless mode render their own way.
package command

import "context"

// Output is what a command shows and what it asks of whoever ran it.
type Output struct {
	// Lines are the text to show, without colour codes.
	Lines []string
	// Bar is drawn above Lines when present (/context).
	Bar *Bar
	// Quit ends the program.
	Quit bool
	// Submit is sent to the model as if the user had typed it.
	Submit string
}

// Bar is the context window by kind.
type Bar struct {
	Segments []Segment
	// Total is the size of the window in tokens, Mark the compression threshold.
	Total, Mark int
}

// Segment is one part of a Bar.
type Segment struct {
	Label  string
	Tokens int
	// Free marks the unused rest.
	Free bool
}

// Completion is one proposal for the word under the cursor.
type Completion struct {
	// Value replaces the word being completed.
	Value string
	// Help is one line.
	Help string
}

// Runner runs and completes command lines. A line is the whole input, starting
// with "/".
type Runner interface {
	// Run executes a line. Errors are for the person who typed it.
	Run(ctx context.Context, line string) (Output, error)
	// Complete proposes values for the last word of line (the text up to the
	// cursor), best first; start is where that word begins, in bytes.
	Complete(line string) (start int, proposals []Completion)
}

package settings

import "agent/internal/base/humanize"

// Error is the error for wrong input: an unknown key, an invalid value, or a profile that cannot be
// used. Its text is one line and names the valid input or the remedy. The call that returns it has
// changed nothing.
type Error struct {
	// Key is the setting, empty for an error that is not about one.
	Key     string
	Problem string
	// Err is the cause, or nil. Problem contains its text.
	Err error
}

func (e *Error) Error() string {
	if e.Key == "" {
		return e.Problem
	}
	return e.Key + " " + e.Problem
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// maxQuoted limits the part of a wrong value in a message, in characters.
const maxQuoted = 60

// quote returns text in quotation marks, on one line and cut.
func quote(text string) string { return `"` + humanize.Line(text, maxQuoted) + `"` }

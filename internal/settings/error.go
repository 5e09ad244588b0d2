package settings

import "agent/internal/base/humanize"

// Error is the error for wrong input: an unknown key, an invalid value, or a profile that cannot be
// used. Its text is one line that names the valid input or the remedy. The call that returned it
// has changed nothing.
type Error struct {
	// Key is the setting, or empty if the error is not about a setting.
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

// maxQuoted limits the part of a wrong value that a message quotes, in characters.
const maxQuoted = 60

// quote returns text in quotation marks, on one line and cut.
func quote(text string) string { return `"` + humanize.Line(text, maxQuoted) + `"` }

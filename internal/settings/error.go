package settings

import "agent/internal/words"

// Error is wrong input of the user: an unknown key, a value that is not valid, a
// profile that cannot be used. It is one line, says what is valid or what to do,
// and means that nothing changed.
type Error struct {
	// Key is the setting concerned, or empty.
	Key     string
	Problem string
	// Err is the cause, if any; Problem already contains it.
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

// maxQuoted bounds how much of a wrong value a message repeats, in characters.
const maxQuoted = 60

// quote returns text in quotation marks, on one line and cut.
func quote(text string) string { return `"` + words.Line(text, maxQuoted) + `"` }

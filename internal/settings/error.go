package settings

import "agent/internal/words"

// Error is the error of wrong input: an unknown key, an invalid value, or a profile that cannot
// be used. Its text is one line and says what is valid or what to do. Nothing has changed.
type Error struct {
	// Key is the setting, empty for errors that concern none.
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

// maxQuoted is how much of a wrong value a message shows, in characters.
const maxQuoted = 60

// quote returns text in quotation marks, on one line and cut.
func quote(text string) string { return `"` + words.Line(text, maxQuoted) + `"` }

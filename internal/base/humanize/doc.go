// Package humanize writes counts, sizes and times the way a user reads them, and makes text from
// outside fit a line of a list, a message or a question.
//
// A control character is always shown as a visible character in its place, never obeyed and never
// dropped (Visible). Line makes the result one line of a bounded length. The package is not for
// text that a command printed for a terminal, with colours and progress bars: the caller that
// runs commands handles such text.
package humanize

// Package words writes counts, sizes and times the way a person reads them, and
// makes text from outside fit a line of a list, a message or a question.
//
// It has one answer to how a control character is shown: as a visible character
// in its place, never obeyed and never dropped (Visible). Line adds that the
// result is one line of a bounded length. Text that a command printed for a
// terminal, with colours and progress bars, is another matter and belongs to
// the caller that runs commands.
package words

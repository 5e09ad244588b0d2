// Package humanize formats counts, sizes and times for users. It also makes text from outside the
// program fit a line of a list, a message or a question.
//
// Control characters are always replaced by visible characters, so that the terminal neither obeys
// nor drops them (Visible). Line makes the result one line of limited length. The package is not
// for text that a command printed for a terminal, with colors and progress bars. The caller that
// runs commands handles such text.
package humanize

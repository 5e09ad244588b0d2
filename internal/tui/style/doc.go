// Package style is how text looks on a terminal: themes, the width of text,
// wrapping, and cleaning of text from outside. It is pure and knows nothing of what
// the text is about.
package style

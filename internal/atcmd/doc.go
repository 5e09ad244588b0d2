// Package atcmd is the @ processor: it finds the @paths of a message, reads the
// files they name and returns the blocks of the human entry (D-18).
//
//	Explain @main.go and @internal/
//
// becomes the text as it was typed, followed by one block for main.go and one
// for each file below internal. The forms are @path, @dir/, @glob*.go,
// @"with spaces" and @with\ spaces; \@ is a plain @. Nothing outside the workspace
// is read, nothing that could block, and nothing without a limit. What was left
// out, and why, is part of the result, for the user to see.
//
// What was pasted or piped in is data (D-46): it is not looked at, and it is in
// blocks that say what they are.
//
// Not every @ is a path. One that follows a letter, a digit or any of
// . - + / \ @ is part of an address or of a word (a@b.c); one inside a fenced
// code block belongs to the code. A word that names nothing and looks like no
// path, such as @Override, stays text with a note. A word that does look like a
// path, because it holds a slash or a dot or is quoted, is a MissingError: the
// message is not sent, because the model would answer about a file it never saw.
package atcmd

// Package atcmd replaces mentions of files in a message, such as @main.go, by the content of the
// files. It returns the blocks of the human entry (D-18).
//
//	Explain @main.go and @internal/
//
// becomes the typed text, followed by one block for main.go and one for each file below internal.
// The forms are @path, @dir/, @glob*.go, @"with spaces" and @with\ spaces; \@ is a plain @. The
// package reads nothing outside the workspace, opens no file that could block, and limits the size
// of all that it reads. The result also lists the omitted paths, each with the reason, for the user
// to see.
//
// Pasted and piped text is data (D-46): it is not searched for paths, and its blocks name its
// source.
//
// Not every @ begins a path. An @ that follows a letter, a digit or any of . - + / \ @ is part of a
// word (a@b.c). An @ inside a fenced code block or between backticks belongs to the code. A word
// that names no file and resembles no path of the workspace, such as @Override or @types/node,
// stays text with a note. A word looks like a path if it contains a slash or a dot or is quoted. If
// such a word names no file, the error is a [MissingError]. The message is then not sent, because
// the model would answer about a file that it never saw. If no user can correct it, the word stays
// text.
//
// [Expand] replaces the mentions of a [Message]. A [Completer] belongs to an editor, and proposes
// paths while a user types.
package atcmd

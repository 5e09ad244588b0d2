// Package atcmd replaces mentions of files in a message, such as @main.go, by the content of the
// files. It returns the blocks of the human entry (D-18).
//
//	Explain @main.go and @internal/
//
// becomes the text as it was typed, followed by one block for main.go and one for each file below
// internal. The forms are @path, @dir/, @glob*.go, @"with spaces" and @with\ spaces; \@ is a
// plain @. Nothing outside the workspace is read, nothing that could block, and nothing without a
// limit. The result also lists the paths that were omitted, each with the reason, for the user
// to see.
//
// Pasted and piped text is data (D-46): it is not searched for paths, and its blocks name its
// source.
//
// Not every @ begins a path. An @ that follows a letter, a digit or any of . - + / \ @ is part of
// an address or of a word (a@b.c); an @ inside a fenced code block or between backticks belongs to the code. A
// word that names no file and resembles no path of the workspace, such as @Override or
// @types/node, stays text with a note. A word that looks like a path, because it holds a slash or
// a dot or is quoted, but names no file is a [MissingError]: the message is not sent, because the
// model would answer about a file it never saw. If nobody can correct it, it stays text too.
//
// [Expand] does this work for a [Message]. A [Completer] belongs to an editor, and proposes paths
// while a user types.
package atcmd

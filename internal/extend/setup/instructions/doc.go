// Package instructions reads the files that tell a model how to work in a folder: AGENTS.md and the
// files of other agents that take its place, companions that are not committed, and rules for some
// files. It cleans the files and inserts their imports. It never writes and never runs anything.
//
// The order is from the general to the specific: the user's own file, then a file and its companion
// for each folder from the repository's root down to the workspace. If several files have the same
// content, it is included once.
package instructions

import "agent/internal/extend/setup/trustedfile"

// Limits of files, in bytes, and of imports.
const (
	// MaxFile limits the part of a file that is read.
	MaxFile = 64 << 10
	// MaxTotal limits all files that Find returns, together.
	MaxTotal = 96 << 10
	// maxImports limits the nesting of imports.
	maxImports = 5
)

// userFiles lists the paths below the home folder for the user's own file. They are tried after
// AGENTS.md in the program's configuration; the first that exists counts.
var userFiles = []string{".agents/AGENTS.md", ".config/AGENTS.md", ".claude/CLAUDE.md", ".codex/AGENTS.md", ".gemini/GEMINI.md"}

// DefaultFiles lists the names of a folder's file. The first that exists counts.
var DefaultFiles = []string{"AGENTS.override.md", "AGENTS.md", "CLAUDE.md", ".claude/CLAUDE.md", "GEMINI.md"}

// companions lists the names of the file beside it that is not committed.
var companions = []string{"AGENTS.local.md", "CLAUDE.local.md"}

// lastResorts lists files that are read in the root of a repository if no folder has a file.
var lastResorts = []string{".github/copilot-instructions.md", ".cursorrules", ".windsurfrules", ".clinerules"}

// ruleFolders lists the folders of rules, with the ending of their files.
var ruleFolders = []struct{ folder, ending string }{{".claude/rules", ".md"}, {".cursor/rules", ".mdc"}}

// Locations holds the places and the limits of a search for instructions.
type Locations struct {
	trustedfile.Locations
	// Files lists the names of a folder's file (instructions.files), nil for DefaultFiles.
	Files []string
	// Most limits all files together, in bytes. 0 means MaxTotal, which is the maximum.
	Most int
	// Withhold returns the reason why the model must not get the text of a file, "" if it may. Such
	// a file is not imported (D-121). The path is absolute, without links. A nil function withholds
	// nothing.
	Withhold func(abs string) (why string)
}

// File is a file with instructions, ready for the model.
type File struct {
	Path string
	// Text is the content with its imports in place, without comments and with visible control
	// characters. A note marks the end of a text that was cut.
	Text string
}

// Listing holds the instructions for a workspace.
type Listing struct {
	Files []File
	// Unread lists the files that were omitted on purpose, each with a way to use it.
	Unread []string
	// Problems holds the errors of files that cannot be used, or that were cut.
	Problems []error
}

// Package instructions reads the files that contain instructions for a model in a folder. They are
// AGENTS.md or an equivalent of another coding agent, companion files that are not committed, and
// rules for some files. The package cleans the files and inserts their imports. It never writes and
// never runs anything.
//
// The order is from the general to the specific. The user's own file is first. A file and its
// companion follow for each folder from the repository's root down to the workspace. If several
// files have the same content, it is included once.
package instructions

import "agent/internal/extend/setup/trustedfile"

// The limits of files, in bytes, and of imports.
const (
	// MaxFile is the greatest part of a file that is read, in bytes.
	MaxFile = 64 << 10
	// MaxTotal is the greatest total size of the files that Find returns.
	MaxTotal = 96 << 10
	// maxImports is the greatest nesting depth of imports.
	maxImports = 5
)

// userFiles lists paths for the user's own file below the home folder. They are tried after
// AGENTS.md in the program's configuration. The first existing file is used.
var userFiles = []string{".agents/AGENTS.md", ".config/AGENTS.md", ".claude/CLAUDE.md", ".codex/AGENTS.md", ".gemini/GEMINI.md"}

// DefaultFiles lists the names of a folder's file. The first existing file is used.
var DefaultFiles = []string{"AGENTS.override.md", "AGENTS.md", "CLAUDE.md", ".claude/CLAUDE.md", "GEMINI.md"}

// companions lists the names of a companion file that is not committed.
var companions = []string{"AGENTS.local.md", "CLAUDE.local.md"}

// lastResorts lists files in the root of a repository. They are read if no folder has a file.
var lastResorts = []string{".github/copilot-instructions.md", ".cursorrules", ".windsurfrules", ".clinerules"}

// ruleFolders lists the folders of rules, with the extension of their files.
var ruleFolders = []struct{ folder, ending string }{{".claude/rules", ".md"}, {".cursor/rules", ".mdc"}}

// Locations holds the folders and the limits of a search for instructions.
type Locations struct {
	trustedfile.Locations
	// Files lists the names of a folder's file (instructions.files). nil means DefaultFiles.
	Files []string
	// Most limits the total size of all files, in bytes. 0 means MaxTotal, which is also the
	// maximum.
	Most int
	// Withhold returns the reason why the model must not receive the text of a file, "" if it may.
	// Such a file is not imported (D-121). The path is absolute with links resolved. If Withhold is
	// nil, nothing is withheld.
	Withhold func(abs string) (why string)
}

// File is a file with instructions in the form for the model.
type File struct {
	Path string
	// Text is the content with its imports inserted, without comments and with visible control
	// characters. A note marks the end of a cut text.
	Text string
}

// Listing holds the instructions for a workspace.
type Listing struct {
	Files []File
	// Unread lists the files that were omitted on purpose. Each line explains how to use the file.
	Unread []string
	// Problems holds the errors about files that cannot be used or were cut.
	Problems []error
}

// Package instructions reads the files that instruct a model how to work in a folder: AGENTS.md and
// its names in other agents, companions that are not committed, and rules for some files. It
// cleans the files and inserts their imports. It never writes and never runs anything.
//
// The order is from the general to the specific: the user's own file, then a file and its
// companion for each folder from the repository's root down to the workspace. A content that
// several files have is given once.
package instructions

import "agent/internal/setup/source"

// Limits in bytes.
const (
	// MaxFile bounds what is read of a file.
	MaxFile = 64 << 10
	// MaxTotal bounds all files of the head together.
	MaxTotal = 96 << 10
	// maxImports bounds how deep imports are nested.
	maxImports = 5
)

// userFiles are the paths of the user's own file below the home folder, after AGENTS.md in the
// program's configuration. The first that exists counts.
var userFiles = []string{".agents/AGENTS.md", ".config/AGENTS.md", ".claude/CLAUDE.md", ".codex/AGENTS.md", ".gemini/GEMINI.md"}

// DefaultFiles are the names of a folder's file. The first that exists counts.
var DefaultFiles = []string{"AGENTS.override.md", "AGENTS.md", "CLAUDE.md", ".claude/CLAUDE.md", "GEMINI.md"}

// companions are the names of a folder's file that is not committed.
var companions = []string{"AGENTS.local.md", "CLAUDE.local.md"}

// lastResorts are read in the root of a repository without any of the others.
var lastResorts = []string{".github/copilot-instructions.md", ".cursorrules", ".windsurfrules", ".clinerules"}

// ruleFolders are the folders of rules, whose files have the given ending.
var ruleFolders = []struct{ folder, ending string }{{".claude/rules", ".md"}, {".cursor/rules", ".mdc"}}

// Where says where to look for instructions.
type Where struct {
	source.Where
	// Files are the names of a folder's file (instructions.files), nil for DefaultFiles.
	Files []string
	// Most bounds all files together, in bytes. 0 means MaxTotal, which it cannot exceed.
	Most int
	// Kept returns why the text of a file is not to be sent, "" for any other, so that no import
	// brings it in (D-121). The path is absolute, without links. Nil: none is.
	Kept func(abs string) (why string)
}

// File is a file with instructions, ready for the model.
type File struct {
	Path string
	// Text is the content with its imports in place, without comments and with visible
	// control characters. It says where it was cut.
	Text string
}

// Found has the instructions for a workspace.
type Found struct {
	Files []File
	// Unread are the files that were left out on purpose, each with a way to use it.
	Unread []string
	// Problems are the errors of files that cannot be used.
	Problems []error
}

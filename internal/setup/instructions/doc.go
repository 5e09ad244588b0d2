// Package instructions finds the files that instruct a model how to work in a folder:
// AGENTS.md and what other agents call it, their companions that are not committed, and
// rules that hold for some files only. It reads, cleans and joins them, with what they
// import. It never writes and never runs anything.
//
// The order is from the general to the specific: the user's own file, then for each
// folder from the repository's root down to the workspace one file and its companion.
// No content is given twice, however many files hold it.
package instructions

import "agent/internal/setup/source"

// Limits in bytes.
const (
	// MaxFile is what is read of a file.
	MaxFile = 64 << 10
	// MaxTotal is what all files of the head may hold together.
	MaxTotal = 96 << 10
	// maxImports is how deep a file may import others.
	maxImports = 5
)

// userFiles are the places of the user's own file below the home folder, the first that
// exists counts. The first of all is AGENTS.md in the program's configuration.
var userFiles = []string{".agents/AGENTS.md", ".config/AGENTS.md", ".claude/CLAUDE.md", ".codex/AGENTS.md", ".gemini/GEMINI.md"}

// DefaultFiles are the names of a folder's file, of which the first that exists counts.
var DefaultFiles = []string{"AGENTS.override.md", "AGENTS.md", "CLAUDE.md", ".claude/CLAUDE.md", "GEMINI.md"}

// companions are the names of a folder's file that is not committed.
var companions = []string{"AGENTS.local.md", "CLAUDE.local.md"}

// lastResorts are read in the root of a repository that has none of the others.
var lastResorts = []string{".github/copilot-instructions.md", ".cursorrules", ".windsurfrules", ".clinerules"}

// ruleFolders hold rules, each a file with the given ending.
var ruleFolders = []struct{ folder, ending string }{{".claude/rules", ".md"}, {".cursor/rules", ".mdc"}}

// Where says where to look.
type Where struct {
	source.Where
	// Files are the names of a folder's file, nil for DefaultFiles
	// (instructions.files).
	Files []string
	// Most is how long all may be together, in bytes; 0 means MaxTotal, which it cannot
	// exceed.
	Most int
}

// File is one file with instructions, ready for the model.
type File struct {
	Path string
	// Text is the content with its imports in place, without comments and with visible
	// control characters. It says where it was cut.
	Text string
}

// Found is what applies to a workspace.
type Found struct {
	Files []File
	// Unread are files that were left out on purpose, each with what would make them
	// count; Problems are files that cannot be used.
	Unread   []string
	Problems []error
}

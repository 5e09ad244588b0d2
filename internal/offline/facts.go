package offline

import (
	"slices"
	"strings"

	"agent/internal/chat"
	"agent/internal/compression"
)

// facts is what is known about the tools of a document. Those of this program
// declare themselves. Of others, which other programs recorded, only well-known
// names of reads, searches, listings, shells and fetches count, and only for what
// can be had again; a tool of any other name is left alone (D-45). What may be pruned of
// their calls by itself is in a table of its own (elsewhere.go).
func (e *Engine) facts() compression.Facts {
	own := chat.ToolFacts(e.Tools)
	return func(name string) compression.ToolFacts {
		if _, err := e.Tools.Get(name); err == nil {
			return own(name)
		}
		name = strings.ToLower(name)
		return compression.ToolFacts{Retrievable: slices.Contains(knownElsewhere, name), Units: unitsElsewhere[name]}
	}
}

// knownElsewhere are the names that other programs give to tools that only look,
// run or fetch, in lower case.
var knownElsewhere = []string{
	// Reads and listings.
	"read", "view", "cat", "ls", "list", "list_dir", "list_directory", "tree",
	// Searches.
	"grep", "grep_search", "ripgrep", "rg", "search", "find", "glob", "codesearch", "search_file_content",
	// Shells.
	"bash", "shell", "exec", "exec_command", "local_shell", "run_shell_command", "run_terminal_cmd",
	// The network.
	"fetch", "web_fetch", "webfetch", "web_search", "websearch",
	"google_web_fetch", "google_web_search", "direct_web_fetch", "exa_web_search",
}

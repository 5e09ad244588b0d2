package cmdline

import (
	"slices"
	"strings"

	"agent/internal/cmdline/programs"
)

// FolderReads describes which files below folders a command reads.
type FolderReads struct {
	// Reads is set if it reads files there. Hidden is set if it also reads hidden files. Tracked is
	// set if it reads only files that git tracks.
	Reads, Hidden, Tracked bool
}

// FindFolderReads returns which files below folders a call of a line reads.
func FindFolderReads(call []string, line [][]string) FolderReads {
	has := func(letters string, long ...string) bool {
		return slices.ContainsFunc(call[1:], func(word string) bool {
			if name, _, _ := strings.Cut(word, "="); strings.HasPrefix(word, "--") {
				return slices.ContainsFunc(long, func(option string) bool { return strings.HasPrefix(word, option) || strings.HasPrefix(option, name) })
			}
			return strings.HasPrefix(word, "-") && strings.ContainsAny(word, letters)
		})
	}
	switch is := func(does programs.Traits) bool { return programs.Is(call[0], does) }; {
	case is(programs.SearchesFolders):
		return FolderReads{Reads: true, Hidden: has("u.a", "--hidden", "--unrestricted", "--no-ignore")}
	case is(programs.SearchesFiles):
		return FolderReads{Reads: has("rRd", "--recursive", "--dereference-recursive", "--directories"), Hidden: true}
	case is(programs.ComparesFiles):
		return FolderReads{Reads: has("r", "--recursive"), Hidden: true}
	case is(programs.ReadsFolders):
		return FolderReads{Reads: true, Hidden: true}
	case is(programs.RunsCommandOption):
		return FolderReads{Reads: FindRuns(call) || slices.ContainsFunc(line, func(other []string) bool { return programs.Is(other[0], programs.RunsInput) }), Hidden: true}
	case programs.Name(call[0]) == "git":
		grep := slices.Contains(call, "grep")
		outside := grep && has("", "--untracked", "--no-index", "--no-exclude-standard") || slices.Contains(call, "diff") && has("", "--no-index")
		return FolderReads{Reads: grep || outside, Hidden: true, Tracked: !outside}
	}
	return FolderReads{}
}

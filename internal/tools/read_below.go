package tools

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/cmdline"
	"agent/internal/protect"
	"agent/internal/sandbox"
	"agent/internal/shell"
)

// maxBelow limits the number of files and folders that a search for protected files visits.
const maxBelow = 20_000

// readBelow returns the protected files that a command would read without naming them, because they
// are below the folders that it searches or packs. The command runs where no sandbox hides these
// files, so its output would send them to the provider (D-121).
func (e *Env) readBelow(command shell.Command) []protect.File {
	var found []protect.File
	for _, s := range e.searched(command, false) {
		found = e.protectedBelow(s, found)
	}
	return found
}

// maxKept limits the number of files that are hidden from one command that searches.
const maxKept = 100

// keptBelow returns the files that a read-only command would read below the folders that it
// searches, although a rule or an ignore file requires approval. whole is false if there may be
// more such files, or if git has stored their text.
func (e *Env) keptBelow(command shell.Command) (kept []string, whole bool) {
	if !e.Protected.Keeps {
		return nil, true
	}
	whole = true
	for _, s := range e.searched(command, command.Confined.Guarantees(sandbox.ProfileReadOnly).Files) {
		full := func() bool { return len(kept) >= maxKept }
		ended := s.walk(full, func(path string, _ fs.DirEntry) bool {
			why, _ := e.Protected.RuleForFile(path, false)
			if why != "" {
				kept = append(kept, path)
			}
			return why != ""
		})
		whole = whole && ended
	}
	for _, call := range command.Read().NestedCalls() {
		whole = whole && (len(kept) == 0 || call[0] != "git" || slices.Contains(call, "grep"))
	}
	return kept, whole
}

// isFree reports whether the model may read a path without approval. Links are followed.
func (e *Env) isFree(path string) bool {
	abs, err := e.Workspace.Resolve(path)
	return err == nil && e.Protected.Read(abs, e.Workspace.Rel(abs)).Protection == protect.Unprotected
}

// followsLinks reports whether a program follows the links that it finds below a folder and reads
// their targets, as grep -r of busybox does.
func (e *Env) followsLinks(program string, command shell.Command) bool {
	path, err := e.Jobs.LookPath(program, command.Distrusted...)
	if err != nil {
		return false
	}
	real, err := filepath.EvalSymlinks(path)
	return err == nil && strings.HasPrefix(filepath.Base(real), "busybox")
}

// linksOut reports whether a folder in which a command searches may contain a link to a file whose
// read requires approval.
func (e *Env) linksOut(command shell.Command) bool {
	for _, s := range e.searched(command, false) {
		out := false
		ended := s.walk(func() bool { return out }, func(path string, entry fs.DirEntry) bool {
			out = out || entry.Type()&fs.ModeSymlink != 0 && !e.isFree(path)
			return false
		})
		if out || !ended {
			return true
		}
	}
	return false
}

// searchedFolder is a folder that a command searches or packs.
type searchedFolder struct {
	folder string
	// hidden is set if the command also reads hidden files there.
	hidden bool
}

// walk calls visit for the files and folders below the folder that the command can read. It omits
// everything below a folder for which visit returns true, and below hidden folders that the command
// skips. It reports whether it visited everything: it stops at maxBelow, or once full returns true.
func (s searchedFolder) walk(full func() bool, visit func(path string, entry fs.DirEntry) bool) (ended bool) {
	folder, err := filepath.EvalSymlinks(s.folder)
	if err != nil {
		return true // commands can't read it either
	}
	looked := 0
	ended = true
	_ = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if looked++; looked > maxBelow || full() {
			ended = false
			return fs.SkipAll
		}
		switch {
		case err != nil || path == folder:
		case !s.hidden && strings.HasPrefix(entry.Name(), ".") && entry.IsDir(), visit(path, entry) && entry.IsDir():
			return fs.SkipDir
		}
		return nil
	})
	return ended
}

// searched returns the folders that a command searches. git grep, which reads tracked files, is
// included if tracked is set.
func (e *Env) searched(command shell.Command, tracked bool) []searchedFolder {
	var folders []searchedFolder
	var starts []string // the folders in which the line may run, computed when needed
	calls := command.Read().NestedCalls()
	for _, call := range calls {
		below := cmdline.FindFolderReads(call, calls)
		if !below.Reads || below.Tracked && !tracked {
			continue
		}
		if starts == nil {
			starts = e.folders(command)
		}
		var named []string
		for _, word := range call[1:] {
			for _, start := range starts {
				named = append(named, e.foldersNamed(start, word)...)
			}
		}
		if slices.Contains(call, cmdline.Unknown) {
			for _, word := range e.rewritten(command) {
				named = append(named, existingFolders(word)...)
			}
		}
		if len(named) == 0 {
			named = starts
		}
		for _, folder := range named {
			folders = append(folders, searchedFolder{folder, below.Hidden})
		}
	}
	return folders
}

// protectedBelow adds the protected files that a command reads below a folder to found, up to
// maxNamed files in total.
func (e *Env) protectedBelow(s searchedFolder, found []protect.File) []protect.File {
	s.walk(func() bool { return len(found) >= maxNamed }, func(path string, entry fs.DirEntry) bool {
		if !s.hidden && strings.HasPrefix(entry.Name(), ".") {
			return false
		}
		file := e.Protected.Read(path, e.Workspace.Rel(path))
		if file.Protection != protect.Unprotected && !slices.Contains(found, file) {
			found = append(found, file)
		}
		return file.Protection != protect.Unprotected
	})
	return found
}

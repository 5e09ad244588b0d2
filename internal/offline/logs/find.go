package logs

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// File is a session on disk.
type File struct {
	Path string
	Size int64
	// Changed is the time of the last write. It is zero if it is not needed.
	Changed time.Time
}

// A place describes the folder in which a program keeps its sessions.
type place struct {
	// variable is an environment variable with the folder of the program, or "". home is that folder
	// relative to the home folder, used if the variable is not set.
	variable, home string
	// below is the folder of the sessions within the program's folder.
	below string
	is    func(path string) bool
}

var places = []place{
	{"CLAUDE_CONFIG_DIR", ".claude", "projects", named("", ".jsonl")},
	{"CODEX_HOME", ".codex", "sessions", named("rollout-", ".jsonl")},
	{"", ".gemini", "tmp", func(path string) bool {
		return filepath.Base(filepath.Dir(path)) == "chats" && (strings.HasSuffix(path, ".json") || strings.HasSuffix(path, ".jsonl"))
	}},
	{"", ".pi/agent", "sessions", named("", ".jsonl")},
}

func named(prefix, suffix string) func(string) bool {
	return func(path string) bool {
		name := filepath.Base(path)
		return strings.HasPrefix(name, prefix) && strings.HasSuffix(name, suffix)
	}
}

// Find lists the sessions of other programs below a home folder. env returns an environment variable.
// skip is called with each folder that cannot be read and the reason.
func Find(home string, env func(string) string, skip func(path string, err error)) []File {
	var files []File
	for _, p := range places {
		root := filepath.Join(home, filepath.FromSlash(p.home))
		if p.variable != "" && env(p.variable) != "" {
			root = env(p.variable)
		}
		files = append(files, below(filepath.Join(root, p.below), p.is, skip)...)
	}
	return files
}

// FindBelow lists the files below a folder that may be sessions.
func FindBelow(root string, skip func(path string, err error)) []File {
	is := func(path string) bool { return slices.Contains([]string{".jsonl", ".json"}, filepath.Ext(path)) }
	return below(root, is, skip)
}

// Since splits files into the files changed since a time and the others.
func Since(files []File, at time.Time) (since, before []File) {
	for _, f := range files {
		if f.Changed.Before(at) {
			before = append(before, f)
		} else {
			since = append(since, f)
		}
	}
	return since, before
}

// below lists the sessions of a program below a folder. A missing folder has none.
func below(root string, is func(path string) bool, skip func(path string, err error)) []File {
	var files []File
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && path == root && os.IsNotExist(err):
			return nil
		case err != nil:
			skip(path, err)
			return nil
		case !d.Type().IsRegular() || !is(path):
			return nil
		}
		info, err := d.Info()
		if err != nil {
			skip(path, err)
			return nil
		}
		files = append(files, File{path, info.Size(), info.ModTime()})
		return nil
	})
	return files
}

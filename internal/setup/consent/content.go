package consent

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"agent/internal/disk"
	"agent/internal/rawjson"
	"agent/internal/setup/fill"
)

// Bounds of the content of an item. An item beyond them cannot be agreed to.
const (
	maxWords    = 500
	maxFiles    = 50
	maxFolders  = 20
	maxFileSize = 64 << 20
)

// projectVariables are the variables whose value is the workspace.
var projectVariables = []string{"CLAUDE_PROJECT_DIR", "AGENT_PROJECT_DIR", "PWD"}

// content is the content to which a person gives consent.
type content struct {
	Kind   Kind   `json:"kind"`
	Name   string `json:"name"`
	Fields any    `json:"fields"`
	Files  []file `json:"files,omitempty"`
}

// file is a file that the command names.
type file struct {
	Path string `json:"path"`
	// To is the target of a link.
	To string `json:"to,omitempty"`
	// SHA256 is empty for a file outside of the repository.
	SHA256 string `json:"sha256,omitempty"`
}

// look determines the content of an item as it is now.
func (s *Store) look(i Item) Reviewed {
	r := Reviewed{Item: i, State: Waiting}
	files, err := s.files(i.Command)
	var text []byte
	if err == nil {
		text, err = rawjson.Canonical(content{Kind: i.Kind, Name: i.Name, Fields: i.Fields, Files: files})
	}
	if err != nil {
		r.Problem = err.Error()
		return r
	}
	sum := sha256.Sum256(text)
	r.Hash, r.Content = hex.EncodeToString(sum[:]), string(text)
	for _, f := range files {
		r.Files = append(r.Files, f.Path)
	}
	return r
}

// files returns the files of the repository that the words of a command name, relative to the
// workspace, to the repository or to a folder that is named, too: cd DIR && ./run.
func (s *Store) files(words []string) ([]file, error) {
	named, err := s.named(words)
	if err != nil {
		return nil, err
	}
	folders := []string{s.workspace, s.root}
	for _, word := range named {
		for _, path := range s.paths(word, folders[:2]) {
			if info, err := os.Stat(path); err == nil && info.IsDir() && !slices.Contains(folders, path) {
				folders = append(folders, path)
			}
		}
	}
	if len(folders) > maxFolders {
		return nil, fmt.Errorf("its command names more than %d folders", maxFolders)
	}
	var found []file
	for _, word := range named {
		for _, path := range s.paths(word, folders) {
			f, is, err := s.file(path)
			if err != nil {
				return nil, err
			}
			if is && !slices.Contains(found, f) {
				found = append(found, f)
			}
		}
	}
	if len(found) > maxFiles {
		return nil, fmt.Errorf("its command names more than %d files", maxFiles)
	}
	slices.SortFunc(found, func(a, b file) int { return strings.Compare(a.Path, b.Path) })
	return found, nil
}

// named returns the parts of words that may name a file. Too many do no harm: names without a file
// are ignored.
func (s *Store) named(words []string) ([]string, error) {
	var parts []string
	for _, word := range words {
		parts = append(append(parts, word), fill.Words(word)...)
		plain := strings.NewReplacer(`"`, "", `'`, "", `\`, "").Replace(word)
		parts = append(parts, strings.FieldsFunc(plain, func(r rune) bool { return strings.ContainsRune(" \t\r\n=,;|&()<>`:@", r) })...)
	}
	slices.Sort(parts)
	if parts = slices.Compact(parts); len(parts) > maxWords {
		return nil, fmt.Errorf("its command has more than %d words", maxWords)
	}
	return parts, nil
}

// paths returns the paths that a word may mean, relative to folders.
func (s *Store) paths(word string, folders []string) []string {
	for _, name := range projectVariables {
		for _, form := range []string{"${" + name + "}", "${" + name + ":-.}", "$" + name} {
			word = strings.ReplaceAll(word, form, s.workspace)
		}
	}
	if rest, home := strings.CutPrefix(word, "~/"); home {
		word = filepath.Join(s.home, rest)
	}
	if filepath.IsAbs(word) {
		return []string{filepath.Clean(word)}
	}
	var all []string
	for _, folder := range folders {
		all = append(all, filepath.Join(folder, word))
	}
	return all
}

// file describes the file at a path. is reports whether there is a file that belongs to the
// repository.
func (s *Store) file(path string) (f file, is bool, err error) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return f, false, nil
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return f, false, nil
	}
	inside := disk.Within(real, s.root)
	switch {
	case disk.Within(path, s.root):
		f.Path = s.relative(path)
		if real != path {
			f.To = s.relative(real)
		}
	case inside:
		f.Path = s.relative(real)
	default:
		return f, false, nil
	}
	if inside {
		f.SHA256, err = sum(real)
	}
	return f, true, err
}

// relative returns a path in the repository relative to it, and other paths unchanged.
func (s *Store) relative(path string) string {
	return disk.Short(path, s.root)
}

// sum returns the SHA-256 of a file.
func sum(path string) (string, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe would be waited for
	if err != nil {
		return "", disk.Reason(err)
	}
	defer f.Close()
	h := sha256.New()
	n, err := io.Copy(h, io.LimitReader(f, maxFileSize+1))
	switch {
	case err != nil:
		return "", disk.Reason(err)
	case n > maxFileSize:
		return "", fmt.Errorf("its command names %s, which is larger than 64 MiB", path)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

package consent

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"agent/internal/base/fsutil"
	"agent/internal/base/rawjson"
	"agent/internal/extend/setup/manifest"
)

// content is everything that consent to an item covers. Its canonical JSON is hashed.
type content struct {
	Kind Kind   `json:"kind"`
	Name string `json:"name"`
	// In is the folder of the project to which the item belongs, relative to the repository.
	In      string        `json:"in,omitempty"`
	Effects manifest.List `json:"effects"`
	Files   []file        `json:"files,omitempty"`
	// Undetermined is set if the item may use files that are not in Files.
	Undetermined bool `json:"undetermined,omitempty"`
}

// file is a file that the command of an item names.
type file struct {
	Path string `json:"path"`
	// To is the target of a link, empty for other files.
	To string `json:"to,omitempty"`
	// SHA256 is empty if the target is outside the repository.
	SHA256 string `json:"sha256,omitempty"`
}

// look determines the current content of an item.
func (s *Store) look(i Item) ReviewedItem {
	r := ReviewedItem{Item: i, State: StateWaiting, Variables: i.reads()}
	c := content{Kind: i.Kind, Name: i.Name, Effects: i.Effects}
	if i.Folder != "" && i.Folder != s.root {
		c.In = s.relative(i.Folder)
	}
	for _, p := range i.Effects {
		if !utf8.ValidString(p.Key + p.Text) {
			r.Problem = "it contains invalid UTF-8"
			return r
		}
	}
	var text []byte
	var err error
	if c.Files, c.Undetermined, err = s.files(i); err == nil {
		text, err = rawjson.Canonical(c)
	}
	if err != nil {
		r.Problem = err.Error()
		return r
	}
	sum := sha256.Sum256(text)
	r.Hash, r.Content, r.Undetermined = hex.EncodeToString(sum[:]), string(text), c.Undetermined
	for _, f := range c.Files {
		r.Files = append(r.Files, f.Path)
	}
	return r
}

// paths returns the paths that a word may mean. A relative word has one path for each folder.
func (s *Store) paths(word string, folders []string) []string {
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

// file describes the file at a path. is reports whether the path or its target is a file in the
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
	inside := fsutil.Within(real, s.root)
	switch {
	case fsutil.Within(path, s.root):
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

// relative returns a path in the repository relative to it. It returns other paths unchanged.
func (s *Store) relative(path string) string {
	return fsutil.RelativeBelow(path, s.root)
}

func sum(path string) (string, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|fsutil.NoWait, 0) // opening a pipe must not block
	if err != nil {
		return "", fsutil.Reason(err)
	}
	defer f.Close()
	h := sha256.New()
	n, err := io.Copy(h, io.LimitReader(f, maxFileSize+1))
	switch {
	case err != nil:
		return "", fsutil.Reason(err)
	case n > maxFileSize:
		return "", fmt.Errorf("its command refers to %s, which is larger than 64 MiB", path)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

package websearch

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/base/fsutil"
	"agent/internal/base/secret"
)

// Limits of the files with which a query is compared.
const (
	// leastLine is the least length of a part of a line that counts as a quote of a file, in bytes.
	leastLine = 40
	// leastValue is the least length of a value that counts as a secret, in bytes. A shorter value
	// may be a common word.
	leastValue = 12
	// maxKeyFile limits the bytes that are read of one file. maxKeyFiles limits the number of
	// files, and maxDepth the depth of the folders.
	maxKeyFile  = 64 << 10
	maxKeyFiles = 100
	maxDepth    = 2
)

// leaks returns an error if a query contains an API key, one of the values, or a part of a line of
// the files. It also finds encoded forms of these. It takes milliseconds for the files of a user.
func (q Query) leaks(values, files []string) error {
	const remedy = "; remove it, or ask the user to search with /web"
	forms := textForms(strings.Join(append(append([]string{q.Text}, q.OnlyHosts...), q.WithoutHosts...), " "))
	for _, text := range forms {
		if secret.Contains(text.text) {
			return errors.New("refused: the query seems to contain a key" + remedy)
		}
		if slices.ContainsFunc(values, text.holds) {
			return errors.New("refused: the query contains the value of a secret variable" + remedy)
		}
	}
	if file := quoted(forms, files); file != "" {
		return fmt.Errorf("refused: the query contains text of the secret file %s%s", file, remedy)
	}
	return nil
}

// FindQuotedFile returns the name of the first of the files that a text quotes, or "" if it quotes none. A
// folder stands for its files.
func FindQuotedFile(text string, files []string) (name string) {
	return quoted([]textForm{newTextForm(text)}, files)
}

// quoted returns the name of the first file that one of the texts quotes, "" for none.
func quoted(texts []textForm, files []string) (name string) {
	read := 0
	for _, path := range files {
		_ = eachFile(path, func(file string, content []byte) error {
			if read++; read > maxKeyFiles || name != "" {
				return fs.SkipAll
			}
			if slices.ContainsFunc(texts, func(text textForm) bool { return text.quotes(content) }) {
				name = filepath.Base(file)
			}
			return nil
		})
	}
	return name
}

// quotes reports whether the text contains a long part of a content, or a value that a line of the
// content assigns.
func (s textForm) quotes(content []byte) bool {
	for at := 0; at+leastLine <= len(s.text); at++ {
		if bytes.Contains(content, []byte(s.text[at:at+leastLine])) {
			return true
		}
	}
	for line := range bytes.Lines(content) {
		_, value, _ := bytes.Cut(line, []byte("="))
		if value = bytes.Trim(value, " \t\r\n\"'"); len(value) >= leastValue && s.holds(string(value)) {
			return true
		}
	}
	return false
}

// eachFile calls f with the content of a file, or of the files in a folder. It omits files that
// cannot be read.
func eachFile(root string, f func(path string, content []byte) error) error {
	return filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil
		case entry.IsDir() && strings.Count(path[len(root):], string(filepath.Separator)) >= maxDepth:
			return fs.SkipDir
		case !entry.Type().IsRegular():
			return nil
		}
		file, err := fsutil.Open(path)
		if err != nil {
			return nil
		}
		defer func() { _ = file.Close() }()
		content, err := io.ReadAll(io.LimitReader(file, maxKeyFile))
		if err != nil {
			return nil
		}
		return f(path, content)
	})
}

// secrets returns the values of the variables in an environment that contain secrets.
func secrets(environ []string) []string {
	var values []string
	for _, pair := range environ {
		if name, value, _ := strings.Cut(pair, "="); len(value) >= leastValue && secret.IsSecretName(name) && !filepath.IsAbs(value) {
			values = append(values, value)
		}
	}
	return values
}

package websearch

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"agent/internal/secret"
)

// Bounds of the files that a query is compared with.
const (
	// leastLine is the length from which a part of a line of a file gives the file away, in bytes.
	leastLine = 40
	// maxKeyFile bounds what is read of one file, maxKeyFiles how many are read, maxDepth how far
	// folders are read.
	maxKeyFile  = 64 << 10
	maxKeyFiles = 100
	maxDepth    = 2
)

// leaks returns an error if a query holds a key, one of the values, or a part of a line of the
// files. It takes milliseconds for the files of a person.
func (q Query) leaks(values, files []string) error {
	text := strings.Join(append(append([]string{q.Text}, q.Only...), q.Without...), " ")
	const remedy = "; search for it without that, or let the user search by hand (/web)"
	if secret.In(text) {
		return errors.New("refused: the query holds what looks like a key, which is not sent" + remedy)
	}
	for _, value := range values {
		if strings.Contains(text, value) {
			return errors.New("refused: the query holds the value of a variable that holds a key, which is not sent" + remedy)
		}
	}
	if len(text) < leastLine {
		return nil
	}
	read := 0
	for _, path := range files {
		err := eachFile(path, func(file string, content []byte) error {
			if read++; read > maxKeyFiles {
				return fs.SkipAll
			}
			for at := 0; at+leastLine <= len(text); at++ {
				if bytes.Contains(content, []byte(text[at:at+leastLine])) {
					return fmt.Errorf("refused: the query holds text of %s, a file that may hold keys, which is not sent%s", filepath.Base(file), remedy)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// eachFile calls f with the content of a file, or of the files in a folder. What cannot be read
// is left out.
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
		file, err := os.Open(path)
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

// secrets returns the values of the variables of an environment that hold keys.
func secrets(environ []string) []string {
	const least = 12 // a shorter value may be a word
	var values []string
	for _, pair := range environ {
		if name, value, _ := strings.Cut(pair, "="); len(value) >= least && secret.Name(name) && !filepath.IsAbs(value) {
			values = append(values, value)
		}
	}
	return values
}

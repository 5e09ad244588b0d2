package provider

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"agent/internal/llm"
)

// maxKey is longer than any key and shorter than a file given by mistake.
const maxKey = 16 << 10

// ReadKeyFile reads a key from a file of one line. It refuses a file that others
// than its owner may read.
func ReadKeyFile(path string) (llm.Key, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return "", err
	}
	const othersMay = 0o077
	switch {
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("%s is not a file", path)
	case runtime.GOOS != "windows" && info.Mode().Perm()&othersMay != 0:
		return "", fmt.Errorf("%s may be read by others (mode %04o); run chmod 600 %s", path, info.Mode().Perm(), path)
	}
	data, err := io.ReadAll(io.LimitReader(file, maxKey+1))
	if err != nil {
		return "", err
	}
	key := strings.TrimSpace(string(data))
	if err := checkKey(key); err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	return llm.Key(key), nil
}

// checkKey refuses what cannot be a key. Its errors do not repeat the key.
func checkKey(key string) error {
	switch {
	case key == "":
		return errors.New("the key is empty")
	case len(key) > maxKey:
		return fmt.Errorf("a key is not longer than %d bytes", maxKey)
	case strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r >= 0x7f }):
		return errors.New("a key is one word without spaces, line breaks or special characters")
	}
	return nil
}

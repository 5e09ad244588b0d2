package picture

import (
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ImagesInPaste returns the image files that a pasted text names. It parses the text that terminals
// insert for dropped files: absolute paths or file URLs, with quotes or backslashes as for a shell.
// It returns none if any word of the text is something else.
func ImagesInPaste(text string) []string {
	if len(text) > 64<<10 {
		return nil
	}
	var paths []string
	for _, word := range shellWords(strings.TrimSpace(text)) {
		if name, isURL := strings.CutPrefix(word, "file://"); isURL {
			decoded, err := url.PathUnescape(name)
			if err != nil {
				return nil
			}
			word = filepath.FromSlash(decoded)
			if filepath.Separator != '/' {
				word = strings.TrimPrefix(word, `\`) // file:///C:/NAME
			}
		}
		if !isImageFile(word) {
			return nil
		}
		paths = append(paths, word)
	}
	return paths
}

func isImageFile(path string) bool {
	if !filepath.IsAbs(path) || !slices.Contains(Extensions, strings.ToLower(filepath.Ext(path))) {
		return false
	}
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// shellWords splits a line like a shell, but supports only quotes and backslashes. In single quotes
// a backslash has no special meaning; on Windows it always separates folders.
func shellWords(line string) []string {
	var all []string
	var word strings.Builder
	quote, open, escaped := rune(0), false, false
	for _, r := range line {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'' && filepath.Separator == '/':
			open, escaped = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			open, quote = true, r
		case quote == 0 && strings.ContainsRune(" \t\r\n", r):
			if open {
				all = append(all, word.String())
				word.Reset()
			}
			open = false
		default:
			open = true
			word.WriteRune(r)
		}
	}
	if open {
		all = append(all, word.String())
	}
	return all
}

package instructions

import (
	"path/filepath"
	"strings"

	"agent/internal/setup/source"

	"github.com/bmatcuk/doublestar/v4"
)

// rule is a file of instructions that may hold for some files only.
type rule struct {
	path string
	text source.Text
	// body is the text without its frontmatter, clean.
	body string
	// always says that it holds for every file; else patterns are those it holds for.
	always   bool
	patterns []string
}

// rules reads the rules of a folder.
func (f *finder) rules(root string) []rule {
	var all []rule
	for _, place := range ruleFolders {
		for _, file := range entries(filepath.Join(root, filepath.FromSlash(place.folder)), place.ending) {
			text, err := f.place.Read(file, MaxFile)
			if err != nil {
				continue // a rule that cannot be read holds for nothing
			}
			all = append(all, newRule(file, place.ending == ".md", text))
		}
	}
	return all
}

// newRule reads a rule: Claude Code's holds for every file unless it has paths, Cursor's
// only where it says so.
func newRule(file string, usually bool, text source.Text) rule {
	fields, body := frontmatter(text.Text)
	r := rule{path: file, text: text, body: clean(body)}
	for _, key := range []string{"paths", "globs"} {
		r.patterns = append(r.patterns, fields[key]...)
	}
	r.always = usually && len(r.patterns) == 0
	if list := fields["alwaysApply"]; len(list) == 1 && list[0] == "true" {
		r.always = true
	}
	return r
}

// matches reports whether a rule holds for a path, relative to its root. A pattern
// without a slash is about the name alone.
func (r rule) matches(path string) bool {
	for _, pattern := range r.patterns {
		pattern = strings.TrimPrefix(pattern, "./")
		if !strings.Contains(pattern, "/") {
			pattern = "**/" + pattern
		}
		if ok, err := doublestar.Match(pattern, path); ok && err == nil {
			return true
		}
	}
	return false
}

// frontmatter splits a text into the fields at its head, as lists, and the rest. It reads
// the small part of YAML that such files use: "key: value", lists in brackets, with
// commas or as lines with dashes.
func frontmatter(text string) (fields map[string][]string, body string) {
	text = strings.TrimPrefix(strings.ReplaceAll(text, "\r\n", "\n"), "\uFEFF")
	rest, found := strings.CutPrefix(text, "---\n")
	if !found {
		return nil, text
	}
	head, body, found := strings.Cut("\n"+rest, "\n---")
	if !found {
		return nil, text
	}
	fields = map[string][]string{}
	key := ""
	for line := range strings.Lines(head) {
		line = strings.TrimRight(line, "\n")
		item, isItem := strings.CutPrefix(strings.TrimSpace(line), "- ")
		switch name, value, pair := strings.Cut(line, ":"); {
		case isItem && key != "":
			fields[key] = append(fields[key], unquote(item))
		case pair && !strings.HasPrefix(name, " "):
			key = strings.TrimSpace(name)
			value = strings.Trim(strings.TrimSpace(value), "[]")
			fields[key] = nil
			for _, one := range splitList(value) {
				fields[key] = append(fields[key], unquote(one))
			}
		}
	}
	return fields, strings.TrimPrefix(body, "\n")
}

// splitList splits at commas that are not within braces.
func splitList(s string) []string {
	var parts []string
	depth, start := 0, 0
	for i, r := range s {
		switch r {
		case '{':
			depth++
		case '}':
			depth--
		case ',':
			if depth == 0 {
				parts = append(parts, s[start:i])
				start = i + 1
			}
		}
	}
	if rest := s[start:]; strings.TrimSpace(rest) != "" {
		parts = append(parts, rest)
	}
	return parts
}

func unquote(s string) string { return strings.Trim(strings.TrimSpace(s), `"'`) }

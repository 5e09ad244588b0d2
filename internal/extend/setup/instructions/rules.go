package instructions

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"agent/internal/extend/setup/trustedfile"

	"github.com/bmatcuk/doublestar/v4"
)

// rule is a file of instructions that may apply to some files only.
type rule struct {
	path string
	text trustedfile.Text
	// body is the cleaned text without its frontmatter.
	body string
	// always is set if the rule applies to every file.
	always bool
	// patterns match the files to which the rule applies if always is false.
	patterns []string
}

func (f *finder) rules(root string) []rule {
	var all []rule
	for _, place := range ruleFolders {
		folder := filepath.Join(root, filepath.FromSlash(place.folder))
		names, _ := fs.Glob(os.DirFS(folder), "*"+place.ending) // the pattern is valid
		for _, name := range names {
			file := filepath.Join(folder, name)
			text, err := f.place.Read(file, MaxFile)
			if err != nil {
				continue // a rule that cannot be read is omitted
			}
			all = append(all, newRule(file, place.ending == ".md", text))
		}
	}
	return all
}

// newRule parses a rule. usually is true for a rule of Claude Code, which applies to every file
// unless it has paths. A rule of Cursor applies to every file only if its frontmatter
// requests this.
func newRule(file string, usually bool, text trustedfile.Text) rule {
	fields, body, _ := trustedfile.Frontmatter(text.Text)
	r := rule{path: file, text: text, body: clean(body)}
	for _, key := range []string{"paths", "globs"} {
		r.patterns = append(r.patterns, fields.List(key)...)
	}
	r.always = fields.Bool("alwaysapply", usually && len(r.patterns) == 0)
	return r
}

// matches reports whether a rule applies to a path relative to its root. A pattern without a slash
// matches in every folder.
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

package atcmd

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/sahilm/fuzzy"
)

// completionsAge is how old the listing that completions come from may be: a
// person who types must not wait for a walk through the workspace at every key.
const completionsAge = 3 * time.Second

// maxCompletions bounds what is proposed.
const maxCompletions = 50

// Completer proposes paths for an @ that is being typed. It is safe for parallel
// use.
type Completer struct {
	root string
	now  func() time.Time

	mu     sync.Mutex
	names  []string
	listed time.Time
}

// NewCompleter returns a completer for the workspace at root, an absolute path.
func NewCompleter(root string, now func() time.Time) *Completer {
	return &Completer{root: root, now: now}
}

// Unfinished finds the mention that text ends in the middle of: where its @ stands
// and what has been typed of its path.
func Unfinished(text string) (start int, typed string, ok bool) {
	start = strings.LastIndexByte(text, '@')
	if start < 0 {
		return 0, "", false
	}
	before, _ := utf8.DecodeLastRuneInString(text[:start])
	if start > 0 && joins(before) {
		return 0, "", false
	}
	typed = text[start+1:]
	if quoted, open := strings.CutPrefix(typed, `"`); open {
		return start, quoted, !strings.ContainsAny(quoted, "\"\n")
	}
	return start, unescape(typed), tokenLength(typed) == len(typed)
}

// Complete proposes mentions for what has been typed after an @, best first, each
// with its @. Files that git ignores are not proposed. Folders end with a slash.
func (c *Completer) Complete(ctx context.Context, typed string) []string {
	names := c.list(ctx)
	var found []string
	switch {
	case typed == "" || strings.HasSuffix(typed, "/"):
		found = below(typed, names)
	default:
		for _, match := range fuzzy.Find(typed, names) {
			found = append(found, match.Str)
		}
		// What begins as it was typed, or is called so, comes before what merely
		// holds its letters.
		rank := func(name string) int {
			switch {
			case strings.HasPrefix(name, typed):
				return 0
			case strings.HasPrefix(path.Base(name), typed):
				return 1
			}
			return 2
		}
		slices.SortStableFunc(found, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
	}
	found = slices.Clone(found[:min(len(found), maxCompletions)])
	for i, name := range found {
		found[i] = "@" + quoteIfNeeded(name)
	}
	return found
}

// below returns the names directly in a folder.
func below(folder string, names []string) []string {
	var found []string
	for _, name := range names {
		rest, ok := strings.CutPrefix(name, folder)
		if ok && rest != "" && !strings.Contains(strings.TrimSuffix(rest, "/"), "/") {
			found = append(found, name)
		}
	}
	return found
}

// list returns the files of the workspace and the folders they are in, sorted.
func (c *Completer) list(ctx context.Context) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.names != nil && c.now().Sub(c.listed) < completionsAge {
		return c.names
	}
	w, err := openWorkspace(ctx, c.root)
	if err != nil {
		return nil
	}
	names, folders := slices.Clone(w.all()), map[string]bool{}
	for _, file := range w.all() {
		for folder := path.Dir(file); folder != "." && !folders[folder]; folder = path.Dir(folder) {
			folders[folder] = true
			names = append(names, folder+"/")
		}
	}
	slices.Sort(names)
	c.names, c.listed = names, c.now()
	return names
}

// quoteIfNeeded writes a path so that parse reads it back.
func quoteIfNeeded(name string) string {
	if !strings.ContainsFunc(name, func(r rune) bool { return stops(r) || r == ' ' || r == '\\' }) {
		return name
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(name) + `"`
}

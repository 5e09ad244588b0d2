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

	"agent/internal/ignore"
	"agent/internal/picture"
)

// The bounds of completion. A person that types must not wait for a walk through the
// workspace at every key.
const (
	// completionsAge is how old the listing may be that completions come from, and
	// listingShare how many times longer than it took to make.
	completionsAge = 3 * time.Second
	listingShare   = 20
	// completionPatience is how long a listing that is being made is waited for: most
	// workspaces are listed by then, and nothing has to be shown twice.
	completionPatience = 20 * time.Millisecond
	// maxCompletions bounds what is proposed, and maxRecent what is proposed of it
	// because somebody worked on it lately.
	maxCompletions = 50
	maxRecent      = 6
	// recently is how long ago a file that was worked on lately was changed. When more
	// than one in recentShare was, the workspace is a fresh copy, and none counts.
	recently    = 24 * time.Hour
	recentShare = 10
)

// Completer proposes paths for an @ that is being typed. It is safe for parallel
// use.
type Completer struct {
	ctx  context.Context
	root string
	now  func() time.Time
	// Others lists what can be mentioned besides files; nil for nothing.
	Others func() []string

	// ranking is held while all names are searched: a person that types fast asks often.
	ranking sync.Mutex

	mu sync.Mutex
	// listing is what the workspace held at a time, made is closed when the one that is
	// being made is there; nil when none is.
	listing listing
	made    chan struct{}
	// used are the files that were sent with a message, the latest first.
	used []string
}

// NewCompleter returns a completer for the workspace at root, an absolute path. What it
// does in the background ends with ctx.
func NewCompleter(ctx context.Context, root string, now func() time.Time) *Completer {
	return &Completer{ctx: ctx, root: root, now: now}
}

// Unfinished finds the mention that text ends in the middle of: where its @ is
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

// Mention is something to mention: the words for it, with its @, and what kind of thing it
// is.
type Mention struct{ Text, Kind string }

// kindOf says what a name of the workspace is.
func kindOf(name string) string {
	switch {
	case strings.HasSuffix(name, "/"):
		return "folder"
	case slices.Contains(picture.Extensions, strings.ToLower(path.Ext(name))):
		return "image"
	}
	return "file"
}

// Complete proposes mentions for what has been typed after an @, best first.
// Files that git ignores are not proposed. Folders end with a slash. It
// answers at once: whole is false while the workspace is being listed, of which then
// only what was known before is proposed, or what is in the folder that is typed.
func (c *Completer) Complete(typed string) (proposals []Mention, whole bool) {
	list, whole := c.list()
	if !list.known && !whole {
		list.names = inFolder(c.root, typed)
	}
	if c.Others != nil && typed != "" {
		for _, name := range c.Others() {
			if strings.HasPrefix(name, typed) {
				proposals = append(proposals, Mention{"@" + quoteIfNeeded(name), "resource"})
			}
		}
	}
	for _, name := range c.rank(typed, list) {
		proposals = append(proposals, Mention{"@" + quoteIfNeeded(name), kindOf(name)})
	}
	return proposals[:min(len(proposals), maxCompletions)], whole
}

// Listed returns when the workspace has been listed, or ctx ends.
func (c *Completer) Listed(ctx context.Context) {
	c.mu.Lock()
	made := c.made
	c.mu.Unlock()
	if made == nil {
		return
	}
	select {
	case <-made:
	case <-ctx.Done():
	}
}

// Used notes that a file, relative to the root, was sent with a message: it is
// proposed before others from now on.
func (c *Completer) Used(file string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.used = append([]string{file}, slices.DeleteFunc(slices.Clone(c.used), func(f string) bool { return f == file })...)
}

// rank picks the names that fit what is typed, best first: what begins as it was typed,
// then what is called so, then what holds its letters. Among those that fit alike what
// was worked on lately comes first.
func (c *Completer) rank(typed string, list listing) []string {
	c.ranking.Lock()
	defer c.ranking.Unlock()
	c.mu.Lock()
	used := slices.Clone(c.used)
	c.mu.Unlock()
	changed := slices.DeleteFunc(slices.Clone(list.changed), func(name string) bool { return slices.Contains(used, name) })
	recent := append(used, changed...)
	if typed == "" {
		recent = slices.DeleteFunc(recent, func(name string) bool { return !list.names.Has(name) })
		recent = recent[:min(len(recent), maxRecent)]
		rest := slices.DeleteFunc(below("", &list.names), func(name string) bool { return slices.Contains(recent, name) })
		return append(recent, rest...)
	}
	if strings.HasSuffix(typed, "/") {
		return below(typed, &list.names)
	}
	return best(typed, &list.names, recent)
}

// candidate is a name that fits what is typed: the lower its fit, the better.
type candidate struct {
	name string
	// lately is negative for a name that was worked on lately, the lower the later.
	lately, fit int
}

// better orders candidates.
func better(a, b candidate) int {
	return cmp.Or(cmp.Compare(a.lately, b.lately), cmp.Compare(a.fit, b.fit))
}

// top are the best of some candidates, as many as are proposed.
type top []candidate

func (t *top) add(c candidate) {
	// Of those that fit alike the first comes first.
	after := len(*t)
	for after > 0 && better(c, (*t)[after-1]) < 0 {
		after--
	}
	if after < maxCompletions {
		*t = slices.Insert((*t)[:min(len(*t), maxCompletions-1)], after, c)
	}
}

// matchedAtOnce is of how many names it is found out together which hold some letters: what
// is known of each takes memory.
const matchedAtOnce = 1000

// best are the names that fit what is typed, enough of them to be proposed. Letters are
// only looked for when too few names begin as it was typed.
func best(typed string, names *ignore.Paths, recent []string) (found []string) {
	lately := make(map[string]int, len(recent))
	for i, name := range recent {
		lately[name] = i - len(recent)
	}
	// The names that begin as it was typed, those that are called so, and those that hold its
	// letters.
	var asTyped, called, lettered top
	begins := func(name string) bool {
		base := name[strings.LastIndexByte(strings.TrimSuffix(name, "/"), '/')+1:]
		return strings.HasPrefix(name, typed) || strings.HasPrefix(base, typed)
	}
	for i := range names.Len() {
		switch name := names.At(i); {
		case strings.HasPrefix(name, typed):
			asTyped.add(candidate{name, lately[name], 0})
		case begins(name):
			called.add(candidate{name, lately[name], len(name)})
		}
	}
	if len(asTyped)+len(called) < maxCompletions {
		rest := make([]string, 0, matchedAtOnce)
		for i := range names.Len() {
			if name := names.At(i); mayHold(name, typed) && !begins(name) {
				rest = append(rest, name)
			}
			if len(rest) == cap(rest) || i == names.Len()-1 {
				for _, match := range fuzzy.FindNoSort(typed, rest) {
					lettered.add(candidate{match.Str, lately[match.Str], -match.Score})
				}
				rest = rest[:0]
			}
		}
	}
	for _, c := range slices.Concat(asTyped, called, lettered) {
		found = append(found, c.name)
	}
	return found
}

// mayHold reports whether a name may hold some letters in their order: a quick look, since
// most of many names do not.
func mayHold(name, letters string) bool {
	at := 0
	for i := 0; i < len(name) && at < len(letters); i++ {
		// What is not ASCII may be another form of any letter.
		if name[i]|letters[at] >= utf8.RuneSelf || lower(name[i]) == lower(letters[at]) {
			at++
		}
	}
	return at == len(letters) || strings.ContainsFunc(letters, func(r rune) bool { return r >= utf8.RuneSelf })
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

// below returns the names directly in a folder.
func below(folder string, names *ignore.Paths) []string {
	var found []string
	for i := range names.Len() {
		name := names.At(i)
		rest, ok := strings.CutPrefix(name, folder)
		if ok && rest != "" && !strings.Contains(strings.TrimSuffix(rest, "/"), "/") {
			found = append(found, name)
		}
	}
	return found
}

// quoteIfNeeded writes a path so that parse reads it back.
func quoteIfNeeded(name string) string {
	if !strings.ContainsFunc(name, func(r rune) bool { return stops(r) || r == ' ' || r == '\\' }) {
		return name
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(name) + `"`
}

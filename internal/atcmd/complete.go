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

	"agent/internal/git/ignore"
	"agent/internal/picture"
)

// The limits of completion. They ensure that no keystroke waits until the whole workspace is
// listed.
const (
	// completionsAge is the greatest age of a listing that completion uses. A listing that took
	// long to make is used for listingShare times that duration.
	completionsAge = 3 * time.Second
	listingShare   = 20
	// completionPatience is the time to wait for a new listing. Most listings finish within it, so
	// that the proposals appear only once.
	completionPatience = 20 * time.Millisecond
	// maxCompletions limits the proposals. maxRecent limits the recent files among them if
	// nothing has been typed.
	maxCompletions = 50
	maxRecent      = 6
	// recently is the greatest time since the last change of a recent file. If more than one file
	// in recentShare is recent, the workspace is a fresh copy, and no file counts as recent.
	recently    = 24 * time.Hour
	recentShare = 10
)

// A Completer proposes paths for an @ that is being typed. It is safe for parallel use.
type Completer struct {
	ctx  context.Context
	root string
	now  func() time.Time
	// Others lists other things that can be mentioned besides files; nil for none.
	Others func() []string

	// ranking serializes the searches of all names, because fast typing starts many of them.
	ranking sync.Mutex

	mu sync.Mutex
	// listing is the latest listing of the workspace. made is closed when the next listing is
	// ready, and nil while none is being made.
	listing listing
	made    chan struct{}
	// used lists the files that were sent with a message, the latest first.
	used []string
}

// NewCompleter returns a Completer for the workspace at root, an absolute path. Its background
// work ends with ctx.
func NewCompleter(ctx context.Context, root string, now func() time.Time) *Completer {
	return &Completer{ctx: ctx, root: root, now: now}
}

// FindIncomplete finds an incomplete mention at the end of text, and returns the position of its @
// and the typed part of its path.
func FindIncomplete(text string) (start int, typed string, ok bool) {
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

// A Mention is a proposal: its text with the @, and its kind.
type Mention struct{ Text, Kind string }

func kindOf(name string) string {
	switch {
	case strings.HasSuffix(name, "/"):
		return "folder"
	case slices.Contains(picture.Extensions, strings.ToLower(path.Ext(name))):
		return "image"
	}
	return "file"
}

// Complete proposes mentions for the text after an @, best first. It omits files that git ignores.
// Folders end with a slash. Complete does not wait for a listing: whole is false while one is being
// made. The proposals then come from the last listing, or from the folder in the typed text.
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

// WaitListed waits until the workspace has been listed or ctx ends.
func (c *Completer) WaitListed(ctx context.Context) {
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

// MarkUsed records that a file, relative to the root, was sent with a message. From then on the file
// is proposed before others.
func (c *Completer) MarkUsed(file string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.used = append([]string{file}, slices.DeleteFunc(slices.Clone(c.used), func(f string) bool { return f == file })...)
}

// rank returns the names that match the typed text, best first. Paths that begin with the text
// precede base names that do. Names that contain its letters in order follow. Among equal matches,
// recent files precede others.
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

// A candidate is a name that matches the typed text. A lower fit is a better match.
type candidate struct {
	name string
	// lately is negative for a recent file, and lower the later the file was used or changed.
	lately, fit int
}

func better(a, b candidate) int {
	return cmp.Or(cmp.Compare(a.lately, b.lately), cmp.Compare(a.fit, b.fit))
}

// top holds the best candidates, at most maxCompletions.
type top []candidate

func (t *top) add(c candidate) {
	// A new candidate is inserted after equal ones.
	after := len(*t)
	for after > 0 && better(c, (*t)[after-1]) < 0 {
		after--
	}
	if after < maxCompletions {
		*t = slices.Insert((*t)[:min(len(*t), maxCompletions-1)], after, c)
	}
}

// matchedAtOnce is the number of names that are matched together; each match needs memory.
const matchedAtOnce = 1000

// best returns the best names for the typed text. It searches for letters only if too few names
// begin with the text.
func best(typed string, names *ignore.Paths, recent []string) (found []string) {
	lately := make(map[string]int, len(recent))
	for i, name := range recent {
		lately[name] = i - len(recent)
	}
	// asTyped holds paths that begin with the text, called base names that begin with it, and
	// lettered names that contain its letters.
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

// mayHold reports whether a name may contain some letters in their order. This quick check rejects
// most names: with 50,000 names, letters that none contains take 2 ms instead of 8 ms
// (BenchmarkCompleter), for the 19 lines of mayHold and lower.
func mayHold(name, letters string) bool {
	at := 0
	for i := 0; i < len(name) && at < len(letters); i++ {
		// A character outside of ASCII may be another form of any letter.
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

// quoteIfNeeded quotes a path if parse would not read the unquoted path back.
func quoteIfNeeded(name string) string {
	if !strings.ContainsFunc(name, func(r rune) bool { return stops(r) || r == ' ' || r == '\\' }) {
		return name
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(name) + `"`
}

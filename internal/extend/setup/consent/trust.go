package consent

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"agent/internal/base/fsutil"
	"agent/internal/base/humanize"
	"agent/internal/extend/setup/trustedfile"
)

// Trust holds the items of a workspace and the user's answers about them. All interfaces use it:
// for the approval prompt at the start, for listings, and for the summary line of a non-interactive
// run. It is safe for concurrent use.
type Trust struct {
	// Store stores the answers.
	Store *Store
	// Ignored lists the settings that a repository must never make.
	Ignored []string
	// Answered is called after each answer, on the same goroutine. It must be set before the first
	// answer.
	Answered func()

	now func() time.Time

	mu    sync.Mutex
	items []Item
	// shown holds the items as they were last shown in this run. earlier holds the items as shown
	// in earlier runs, nil until it is read. Answers apply to the items as shown.
	shown   map[itemKey]ReviewedItem
	earlier []record
}

// Find returns the Trust of a workspace with these items. Each line of ignored describes settings
// that a repository must never make, and begins with their file.
func Find(w trustedfile.Locations, now func() time.Time, items []Item, ignored []string) *Trust {
	t := &Trust{Store: Open(w), now: now, Answered: func() {}, items: items, shown: map[itemKey]ReviewedItem{}}
	for _, line := range ignored {
		t.Ignored = append(t.Ignored, strings.TrimPrefix(line, w.Workspace+"/"))
	}
	slices.SortStableFunc(t.items, func(a, b Item) int { return strings.Compare(a.File, b.File) })
	return t
}

// Review returns all items in their current form, sorted by file. It returns an error if earlier
// answers cannot be read.
func (t *Trust) Review() ([]ReviewedItem, error) { return t.Store.Review(t.present()) }

func (t *Trust) present() []Item {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.items
}

// Add adds an item. It replaces an item with the same kind, name and file.
func (t *Trust) Add(item Item) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.items = append(slices.DeleteFunc(slices.Clone(t.items), func(i Item) bool { return i.Kind == item.Kind && i.Name == item.Name && i.File == item.File }), item)
}

// WaitingItems returns the items that require an answer, in their current form, and records them as
// shown.
func (t *Trust) WaitingItems() ([]ReviewedItem, error) {
	waiting, err := t.waiting()
	t.noteShown(waiting)
	return waiting, err
}

func (t *Trust) waiting() ([]ReviewedItem, error) {
	all, err := t.Review()
	return slices.DeleteFunc(all, func(r ReviewedItem) bool { return !r.State.NeedsAnswer() }), err
}

// ApproveForRun records consent, for this run, to all items that are not refused.
func (t *Trust) ApproveForRun() error {
	all, err := t.Review()
	if err != nil {
		return err
	}
	t.Store.ApproveForRun(slices.DeleteFunc(all, func(r ReviewedItem) bool { return r.State == StateRefused })...)
	return nil
}

// ApprovedItems returns the items that may be used now.
func (t *Trust) ApprovedItems() []ReviewedItem {
	all, _ := t.Review()
	return slices.DeleteFunc(all, func(r ReviewedItem) bool { return r.State != StateApproved })
}

// GuardedPaths returns the absolute paths of files that must not change without a user: the files
// that contain approved items, the files that their commands name, and the links that lead to them.
func (t *Trust) GuardedPaths() []string {
	var paths []string
	for _, r := range t.ApprovedItems() {
		paths = append(paths, steps(r.File)...)
		for _, file := range r.Files {
			paths = append(paths, steps(filepath.Join(t.Store.Root(), file))...)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// steps returns a path, the links that lead to its file, and the path of the file itself.
func steps(path string) (all []string) {
	const most = 40 // the number of links that Linux follows
	all = []string{path}
	for range most {
		link := firstLink(path)
		to, err := os.Readlink(link)
		if err != nil {
			break
		}
		path = filepath.Join(fsutil.ResolveIn(filepath.Dir(link), to), strings.TrimPrefix(path, link))
		all = append(all, link, path)
	}
	return all
}

// firstLink returns the first part of a path that is a link, or "" if there is none.
func firstLink(path string) string {
	if parent := filepath.Dir(path); parent != path {
		if link := firstLink(parent); link != "" {
			return link
		}
	}
	if info, err := os.Lstat(path); err == nil && info.Mode()&os.ModeSymlink != 0 {
		return path
	}
	return ""
}

// UnansweredLine returns a line about the items without an answer, or "" if there are none.
func (t *Trust) UnansweredLine() string {
	waiting, err := t.waiting()
	switch {
	case err != nil:
		return "the configuration of the repository is not used: " + err.Error()
	case len(waiting) == 0:
		return ""
	}
	var files []string
	counts := map[string][]ReviewedItem{}
	for _, r := range waiting {
		file := t.short(r.File)
		if !slices.Contains(files, file) {
			files = append(files, file)
		}
		counts[file] = append(counts[file], r)
	}
	var says []string
	for _, file := range files {
		says = append(says, file+": "+strings.Join(countItems(counts[file]), ", "))
	}
	return "not used until you approve it (agent trust): " + strings.Join(says, "; ")
}

// countItems describes the items of a file by kind. If there are several of a kind, it returns only
// their number.
func countItems(items []ReviewedItem) []string {
	var says []string
	for _, kind := range []Kind{KindServer, KindHook, KindGrants, KindAllow, KindAgent, KindNotes} {
		var of []string
		for _, r := range items {
			if r.Kind == kind {
				of = append(of, r.Name)
			}
		}
		switch {
		case len(of) > 1 && kind == KindGrants, len(of) > 1 && kind == KindAllow:
			says = append(says, fmt.Sprintf("%d times %s", len(of), kind))
		case len(of) > 1:
			says = append(says, humanize.Count(len(of), string(kind)))
		case len(of) == 1:
			says = append(says, strings.TrimSpace(string(kind)+" "+of[0]))
		}
	}
	return says
}

// short returns a path relative to the workspace or the repository if it is in one of them.
func (t *Trust) short(path string) string {
	for _, root := range []string{t.Store.workspace, t.Store.Root()} {
		if rel := fsutil.RelativeBelow(path, root); rel != path {
			return rel
		}
	}
	return path
}

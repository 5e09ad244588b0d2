package atcmd

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agent/internal/git/ignore"
)

// A listing lists the files and folders of a workspace, sorted. known is false until the first
// listing is ready.
type listing struct {
	names ignore.Paths
	known bool
	// changed lists the recently changed files, the latest first.
	changed []string
	at      time.Time
	took    time.Duration
}

// list returns the latest listing. whole is false while a new one is being made.
func (c *Completer) list() (now listing, whole bool) {
	c.mu.Lock()
	age := max(completionsAge, listingShare*c.listing.took)
	if c.made == nil && !c.listing.at.IsZero() && c.now().Sub(c.listing.at) < age {
		defer c.mu.Unlock()
		return c.listing, true
	}
	if c.made == nil {
		c.made = make(chan struct{})
		go c.make(c.made)
	}
	made := c.made
	c.mu.Unlock()
	select {
	case <-made:
		whole = true
	case <-time.After(completionPatience):
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.listing, whole
}

// make lists the workspace, stores the listing and closes made.
func (c *Completer) make(made chan struct{}) {
	began := c.now()
	list := listing{at: began, known: true}
	if w, err := openWorkspace(c.ctx, c.root); err == nil {
		list.names, _ = ignore.FilesAndFolders(c.ctx, w.root) // after an error the listing is empty
		list.changed = changedLately(w, &list.names, began)
	}
	list.took = c.now().Sub(began)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.listing, c.made = list, nil
	close(made)
}

// maxDatedFiles is the greatest number of files and folders for which recent changes are looked up.
// Each needs one system call.
const maxDatedFiles = 50_000

// changedLately returns the recently changed files, the latest first.
func changedLately(w *workspace, names *ignore.Paths, now time.Time) []string {
	if names.Len() > maxDatedFiles {
		return nil
	}
	times := map[string]time.Time{}
	var changed []string
	files := 0
	for i := range names.Len() {
		file := names.At(i)
		if strings.HasSuffix(file, "/") {
			continue
		}
		files++
		info, err := os.Lstat(w.absolute(file))
		if err != nil || now.Sub(info.ModTime()) > recently {
			continue
		}
		times[file] = info.ModTime()
		changed = append(changed, file)
	}
	if len(changed)*recentShare > files+recentShare {
		return nil
	}
	slices.SortStableFunc(changed, func(a, b string) int { return times[b].Compare(times[a]) })
	return changed
}

// inFolder returns the content of the folder that the typed text names, as sorted paths from the
// root.
func inFolder(root, typed string) ignore.Paths {
	folder := typed[:strings.LastIndexByte(typed, '/')+1]
	if folder != "" && !filepath.IsLocal(filepath.FromSlash(folder)) {
		return ignore.Paths{}
	}
	entries, _ := os.ReadDir(filepath.Join(root, filepath.FromSlash(folder)))
	var names []string
	for _, entry := range entries {
		switch {
		case entry.Name() == ".git":
		case entry.IsDir():
			names = append(names, folder+entry.Name()+"/")
		case entry.Type().IsRegular():
			names = append(names, folder+entry.Name())
		}
	}
	slices.Sort(names)
	return ignore.NewPaths(names...)
}

package atcmd

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// listing is the files of a workspace and the folders they are in, sorted.
type listing struct {
	names []string
	// changed are the files that were changed lately, the latest first.
	changed []string
	at      time.Time
	took    time.Duration
}

// list returns what the workspace holds, as far as it is known now; whole is false
// while it is being listed.
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
	patience := time.NewTimer(completionPatience)
	defer patience.Stop()
	select {
	case <-made:
		whole = true
	case <-patience.C:
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.listing, whole
}

// make lists the workspace.
func (c *Completer) make(made chan struct{}) {
	began := c.now()
	list := listing{at: began, names: []string{}}
	if w, err := openWorkspace(c.ctx, c.root); err == nil {
		files := w.all()
		list.names = withFolders(files)
		list.changed = changedLately(w, files, began)
	}
	list.took = c.now().Sub(began)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.listing, c.made = list, nil
	close(made)
}

// withFolders are files and the folders that they are in, sorted.
func withFolders(files []string) []string {
	names, folders := slices.Clone(files), map[string]bool{}
	for _, file := range files {
		for folder := path.Dir(file); folder != "." && !folders[folder]; folder = path.Dir(folder) {
			folders[folder] = true
			names = append(names, folder+"/")
		}
	}
	slices.Sort(names)
	return names
}

// changedLately are the files that were changed lately, the latest first.
func changedLately(w *workspace, files []string, now time.Time) []string {
	times := map[string]time.Time{}
	var changed []string
	for _, file := range files {
		info, err := os.Lstat(w.absolute(file))
		if err != nil || now.Sub(info.ModTime()) > recently {
			continue
		}
		times[file] = info.ModTime()
		if changed = append(changed, file); len(changed)*recentShare > len(files)+recentShare {
			return nil
		}
	}
	slices.SortStableFunc(changed, func(a, b string) int { return times[b].Compare(times[a]) })
	return changed
}

// inFolder is what stands in the folder that is typed, from the root, sorted.
func inFolder(root, typed string) []string {
	folder := typed[:strings.LastIndexByte(typed, '/')+1]
	if folder != "" && !filepath.IsLocal(filepath.FromSlash(folder)) {
		return nil
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
	return names
}

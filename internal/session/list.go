package session

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agent/internal/history"
	"agent/internal/words"

	"golang.org/x/sync/errgroup"
)

// Info is one session in a list.
type Info struct {
	ID        string
	Path      string
	Workspace string
	Started   time.Time
	// Used is the time of the latest record.
	Used time.Time
	// FirstPrompt is the first line the user wrote.
	FirstPrompt string
	// Entries is how many entries were ever added; some may be pruned since.
	Entries int
	// Bytes is the size of the log.
	Bytes int64
}

// List returns the sessions of a workspace, or of all if workspace is empty,
// latest used first. Files that are no logs, and sessions in which nothing
// was said, are left out. Where the record that names the workspace is damaged, the
// folder of the log stands for it.
func List(dir, workspace string) ([]Info, error) {
	folder := "*"
	if workspace != "" {
		folder = folderName(workspace)
	}
	paths, err := fs.Glob(os.DirFS(dir), folder+"/*"+extension)
	if err != nil {
		return nil, err
	}
	if _, err := os.ReadDir(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the sessions cannot be listed: %w", err)
	}
	infos := make([]Info, len(paths))
	var group errgroup.Group
	group.SetLimit(4)
	for i, path := range paths {
		group.Go(func() error {
			infos[i], _ = inspect(filepath.Join(dir, path))
			return nil
		})
	}
	_ = group.Wait()
	infos = slices.DeleteFunc(infos, func(i Info) bool { return i.Entries == 0 })
	for i := range infos {
		infos[i].Workspace = cmp.Or(infos[i].Workspace, workspace)
	}
	infos = slices.DeleteFunc(infos, func(i Info) bool { return workspace != "" && i.Workspace != workspace })
	slices.SortFunc(infos, func(a, b Info) int {
		return cmp.Or(b.Used.Compare(a.Used), strings.Compare(b.ID, a.ID))
	})
	return infos, nil
}

// inspect reads what a list shows. It decodes the beginning of the log, up to the
// first prompt, and only counts the rest.
func inspect(path string) (Info, error) {
	f, err := os.Open(path)
	if err != nil {
		return Info{}, err
	}
	defer f.Close()
	stat, err := f.Stat()
	if err != nil {
		return Info{}, err
	}
	info := Info{ID: idOf(path), Path: path, Bytes: stat.Size()}
	lines := bufio.NewReaderSize(f, 64<<10)
	for {
		line, err := info.nextLine(lines)
		if r, wrong := parse(bytes.TrimSpace(line)); wrong == nil {
			info.add(r)
		}
		if err == io.EOF {
			return info, nil
		}
		if err != nil {
			return Info{}, err
		}
	}
}

// nextLine returns the next line in full until the first prompt is known, then
// only as much of it as the buffer holds.
func (i *Info) nextLine(lines *bufio.Reader) ([]byte, error) {
	if i.FirstPrompt == "" {
		return lines.ReadBytes('\n')
	}
	line, err := lines.ReadSlice('\n')
	if err != bufio.ErrBufferFull {
		return line, err
	}
	// Enough of the line for parse to tell its type; the end it looks for is put
	// there.
	start := append(bytes.Clone(line[:min(len(line), 8<<10)]), '}')
	for err == bufio.ErrBufferFull {
		_, err = lines.ReadSlice('\n')
	}
	return start, err
}

func (i *Info) add(r Record) {
	i.Used = r.Time
	if i.Started.IsZero() {
		i.Started = r.Time
	}
	switch r.Type {
	case TypeSession:
		var payload sessionPayload
		if i.Workspace == "" && json.Unmarshal(r.Payload, &payload) == nil {
			i.Workspace = payload.Workspace
		}
	case TypeEntry:
		i.Entries++
		var entry history.Content
		if i.FirstPrompt == "" && entry.UnmarshalJSON(r.Payload) == nil && entry.Speaker == history.Human {
			i.FirstPrompt = words.Line(words.FirstLine(cmp.Or(strings.TrimSpace(entry.Said()), entry.Text())), longestPrompt)
		}
	}
}

// longestPrompt is how much of a prompt a list can show, in characters.
const longestPrompt = 200

// AmbiguousError says that the beginning of an id fits several sessions.
type AmbiguousError struct {
	Prefix string
	IDs    []string
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%q is the beginning of %d sessions: %s; write more of it", e.Prefix, len(e.IDs), strings.Join(e.IDs, ", "))
}

// ErrNotFound is returned for a session that does not exist.
var ErrNotFound = errors.New("there is no such session; `agent sessions list --all` shows all of them")

// Find returns the session whose id is prefix, or the only one whose id begins
// with it. An empty workspace searches all.
func Find(dir, workspace, prefix string) (Info, error) {
	infos, err := List(dir, workspace)
	if err != nil {
		return Info{}, err
	}
	var found []Info
	var ids []string
	for _, info := range infos {
		if info.ID == prefix {
			return info, nil
		}
		if strings.HasPrefix(info.ID, prefix) {
			found, ids = append(found, info), append(ids, info.ID)
		}
	}
	switch len(found) {
	case 0:
		return Info{}, fmt.Errorf("%s: %w", prefix, ErrNotFound)
	case 1:
		return found[0], nil
	}
	return Info{}, &AmbiguousError{prefix, ids}
}

// Delete removes the log at path, unless it is in use.
func Delete(path string) error {
	lock, err := acquire(path)
	if err != nil {
		return err
	}
	return errors.Join(os.Remove(path), lock.Close())
}

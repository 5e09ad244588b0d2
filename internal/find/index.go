package find

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/disk"
	"agent/internal/traits"
)

// An Index searches the sessions of a folder. It may be used by several programs at the same
// time.
type Index struct {
	// Folder is the folder of the index, which can be deleted at any time; "" if there is no place
	// for it, so that nothing can be searched.
	Folder string
	// Sessions is the folder of the records.
	Sessions string
	// Traits returns the traits of a tool, for the files that its calls name.
	Traits func(tool string) traits.Traits
}

const (
	// segmentLogs is how much of logs a segment covers before the next one is begun, in bytes.
	segmentLogs = 8 << 20
	// mostIndexed bounds the index in bytes. The oldest sessions are left out of a larger one.
	mostIndexed = 512 << 20
	// largestRecord bounds a record that is searched, in bytes.
	largestRecord = 32 << 20
	ending        = ".segment"
	lockName      = "lock"
)

// A log is the record of a session on disk.
type log struct {
	// name is its path below the folder of the sessions.
	name          string
	size, changed int64
}

// logs lists the logs, latest changed first. It includes the logs in the folders of sessions.
func (x Index) logs() (found []log, err error) {
	err = fs.WalkDir(os.DirFS(x.Sessions), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && name == ".":
			return err
		case err != nil || !d.Type().IsRegular() || !strings.HasSuffix(name, ".jsonl"):
			return nil
		}
		if info, err := d.Info(); err == nil {
			found = append(found, log{name, info.Size(), info.ModTime().UnixNano()})
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	slices.SortFunc(found, func(a, b log) int { return cmp.Or(-cmp.Compare(a.changed, b.changed), strings.Compare(a.name, b.name)) })
	return found, err
}

// log returns the path of a log.
func (x Index) log(name string) string { return filepath.Join(x.Sessions, filepath.FromSlash(name)) }

// A view is the state of the index at one time, with the gaps in it.
type view struct {
	segments []*segment
	// damaged lists the files that cannot be used.
	damaged []string
	// stale holds the logs whose parts are not valid any more. missing lists the logs that have to
	// be read further, each from the end of the indexed part.
	stale   map[string]bool
	missing []missing
	// left is the number of logs that an index of the full size leaves out.
	left int
}

type missing struct {
	log
	after part
}

func (v *view) close() {
	for _, s := range v.segments {
		s.close()
	}
}

// take returns the segment of a file if the view has it open and it was not replaced, and leaves it
// to the caller. It returns nil if not.
func (v *view) take(path string) *segment {
	at := slices.IndexFunc(v.segments, func(s *segment) bool { return s.path == path })
	if at < 0 {
		return nil
	}
	s := v.segments[at]
	if info, err := os.Stat(path); err != nil || !os.SameFile(info, s.info) {
		return nil
	}
	v.segments = slices.Delete(v.segments, at, at+1)
	return s
}

func (v *view) complete() bool {
	return len(v.damaged)+len(v.stale)+len(v.missing) == 0
}

// open opens the index and compares it with the logs. It closes an earlier view, of which it takes
// what has not been replaced.
func (x Index) open(before *view) (*view, error) {
	defer before.close()
	logs, err := x.logs()
	if err != nil {
		return nil, fmt.Errorf("the sessions cannot be listed: %w", disk.Reason(err))
	}
	v := &view{stale: map[string]bool{}}
	paths, err := filepath.Glob(filepath.Join(escapeGlob(x.Folder), "*"+ending))
	if err != nil {
		return nil, err
	}
	parts := map[string][]part{}
	for _, path := range paths {
		s, err := before.take(path), error(nil)
		if s == nil {
			s, err = openSegment(path)
		}
		if errors.Is(err, fs.ErrNotExist) { // removed meanwhile
			continue
		}
		if err != nil {
			v.damaged = append(v.damaged, path)
			continue
		}
		v.segments = append(v.segments, s)
		for _, p := range s.parts {
			parts[p.log] = append(parts[p.log], p)
		}
	}
	for _, l := range logs {
		covered := parts[l.name]
		delete(parts, l.name)
		last, ok := x.valid(l, covered)
		if !ok {
			v.stale[l.name], last = true, part{}
		}
		if last.size != l.size || last.changed != l.changed {
			v.missing = append(v.missing, missing{l, last})
		}
	}
	for name := range parts {
		v.stale[name] = true
	}
	size := int64(0)
	for _, s := range v.segments {
		size += s.info.Size()
	}
	if size >= mostIndexed {
		v.left, v.missing = len(v.missing), nil
	}
	return v, nil
}

// escapeGlob quotes what a pattern would take for a sign.
func escapeGlob(path string) string {
	return strings.NewReplacer(`*`, `[*]`, `?`, `[?]`, `[`, `[[]`).Replace(path)
}

// valid returns the last of the parts of a log, if they follow each other from its beginning and
// the log still has what they cover.
func (x Index) valid(l log, parts []part) (last part, ok bool) {
	slices.SortFunc(parts, func(a, b part) int { return cmp.Compare(a.from, b.from) })
	for _, p := range parts {
		if p.from != last.to {
			return last, false
		}
		last = p
	}
	if last.to == 0 || last.size == l.size && last.changed == l.changed {
		return last, true
	}
	sum, err := x.sum(l.name, last.to)
	return last, err == nil && l.size >= last.to && sum == last.sum
}

// summed is the number of bytes before a place in a log whose sum identifies the log.
const summed = 512

func (x Index) sum(name string, to int64) (uint32, error) {
	file, err := disk.Open(x.log(name))
	if err != nil {
		return 0, err
	}
	defer file.Close()
	from := max(0, to-summed)
	data := make([]byte, to-from)
	if _, err := file.ReadAt(data, from); err != nil {
		return 0, err
	}
	return crc32.ChecksumIEEE(data), nil
}

// Forget takes what was deleted out of the index, and adds nothing.
func (x Index) Forget(ctx context.Context) error {
	if _, err := os.Stat(x.Folder); x.Folder == "" || err != nil {
		return nil // there is none
	}
	unlock, err := disk.Lock(ctx, x.Folder, lockName)
	if err != nil {
		return err
	}
	v, err := x.open(&view{})
	if err == nil {
		v.missing = nil
		err = x.update(ctx, v)
		v.close()
	}
	return errors.Join(err, unlock())
}

// updated returns the index, up to date with the logs.
func (x Index) updated(ctx context.Context) (*view, error) {
	if x.Folder == "" {
		return nil, errors.New("there is no folder for the search index; set HOME or XDG_CACHE_HOME")
	}
	v, err := x.open(&view{})
	if err != nil || v.complete() {
		return v, err
	}
	unlock, err := disk.Lock(ctx, x.Folder, lockName)
	if err != nil {
		v.close()
		return nil, fmt.Errorf("the search index %s cannot be written: %w", x.Folder, disk.Reason(err))
	}
	if v, err = x.open(v); err == nil && !v.complete() { // another program may have done it
		if err = x.update(ctx, v); err == nil {
			v, err = x.open(v)
		} else {
			v.close()
		}
	}
	return v, errors.Join(err, unlock())
}

// remove removes a file of the index.
func (x Index) remove(ctx context.Context, path string) error {
	unlock, err := disk.Lock(ctx, x.Folder, lockName)
	if err != nil {
		return err
	}
	err = os.Remove(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, unlock())
}

// update removes what is not valid and adds what is missing. The caller holds the lock.
func (x Index) update(ctx context.Context, v *view) error {
	for _, path := range v.damaged {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	w := &writer{Index: x, built: newBuilder()}
	keep := func(log string) bool { return !v.stale[log] }
	for _, s := range v.segments {
		open := len(v.missing) > 0 && w.path == "" && covered(s.parts, keep) < segmentLogs
		if stale := slices.ContainsFunc(s.parts, func(p part) bool { return v.stale[p.log] }); !stale && !open {
			w.size += s.info.Size()
			continue
		}
		one := &writer{Index: x, built: newBuilder(), path: s.path}
		err := one.built.merge(s, keep)
		s.close() // some systems replace no open file
		switch {
		case errors.Is(err, errDamaged):
			// Its logs are read anew by the next search.
			if err := os.Remove(s.path); err != nil {
				return err
			}
			continue
		case err != nil:
			return err
		}
		if open {
			one.size, w = w.size, one
			continue
		}
		if err := one.flush(); err != nil {
			return err
		}
		w.size += one.size
	}
	for _, m := range v.missing {
		if w.size >= mostIndexed {
			break
		}
		err := w.read(ctx, m)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
			continue // deleted meanwhile, or of somebody else
		}
		if err != nil {
			return err
		}
	}
	return w.flush()
}

func covered(parts []part, keep func(string) bool) (n int64) {
	for _, p := range parts {
		if keep(p.log) {
			n += p.to - p.from
		}
	}
	return n
}

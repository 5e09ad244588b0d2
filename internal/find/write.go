package find

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"agent/internal/history"
	"agent/internal/session"
)

// A writer adds logs to a segment, and begins the next one when it is full.
type writer struct {
	Index
	built *builder
	// path is the file to replace, empty for a new one.
	path string
	// size is the size of the segments that were written or stay as they are, in bytes.
	size int64
}

// flush writes the segment and begins a new one. A segment that covers nothing is removed.
func (w *writer) flush() error {
	path, b := w.path, w.built
	w.path, w.built = "", newBuilder()
	if len(b.parts) == 0 {
		if path != "" {
			return os.Remove(path)
		}
		return nil
	}
	for n := 1; path == ""; n++ {
		unused := filepath.Join(w.Folder, fmt.Sprintf("%06d%s", n, ending))
		if _, err := os.Lstat(unused); errors.Is(err, fs.ErrNotExist) {
			path = unused
		}
	}
	data := b.encode()
	w.size += int64(len(data))
	// Nothing is lost with a file that the disk has only in part: its sums do not fit.
	if err := os.WriteFile(path+".new", data, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// read adds the part of a log that is missing.
func (w *writer) read(ctx context.Context, m missing) error {
	in := &reader{traits: w.Traits}
	at := w.part(m.name, m.after)
	for r, err := range session.Scan(w.log(m.name), m.after.back) {
		if err := errors.Join(err, ctx.Err()); err != nil {
			return fmt.Errorf("session %s cannot be read: %w", m.name, err)
		}
		if r.At < m.after.to { // it was added before, and its calls may be answered now
			if e := r.Entry(); e != nil {
				in.document(e, r.Time)
			}
			continue
		}
		if w.built.covers >= segmentLogs {
			last := w.built.parts[at]
			if err := w.end(at, log{size: -1}); err != nil {
				return err
			}
			if err := w.flush(); err != nil {
				return err
			}
			at = w.part(m.name, last)
		}
		w.record(at, r, in)
	}
	return w.end(at, m.log)
}

// part returns the index of the part that begins where another ends.
func (w *writer) part(name string, last part) int {
	if at := slices.IndexFunc(w.built.parts, func(p part) bool { return p.log == name }); at >= 0 {
		return at // parts follow each other
	}
	w.built.parts = append(w.built.parts, part{log: name, workspace: last.workspace, from: last.to, to: last.to, back: last.back})
	return len(w.built.parts) - 1
}

// end notes the size, the time and the checksum by which a later search sees whether the log has
// changed.
func (w *writer) end(at int, l log) (err error) {
	p := &w.built.parts[at]
	p.size, p.changed = l.size, l.changed
	p.sum, err = w.sum(p.log, p.to)
	return err
}

// record adds a record to the part of its log.
func (w *writer) record(at int, r session.Scanned, in *reader) {
	p := &w.built.parts[at]
	to := r.At + int64(r.Length) + 1
	w.built.covers += to - p.to
	p.to = to
	if workspace := r.Works(); workspace != "" {
		p.workspace = workspace
	}
	if r.Length > largestRecord {
		return
	}
	e := r.Entry()
	if e == nil {
		return
	}
	if e.Speaker == history.AI {
		p.back = r.At
	}
	if d, ok := in.document(e, r.Time); ok {
		w.built.add(entry{part: at, seq: r.Seq, at: r.At, length: r.Length, time: r.Time.UnixMilli(), kind: byte(slices.Index(kinds, d.kind))}, d)
	}
}

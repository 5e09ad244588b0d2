package sessionsearch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"agent/internal/history"
	"agent/internal/session"
)

// A EntryRef is an entry in the record of a session.
type EntryRef struct {
	Session, Log, Workspace string
	// Number is the number of the record.
	Number uint64
	Time   time.Time
	Kind   string

	span
}

// A MissingError means that a session, or an entry of it, cannot be found.
type MissingError struct{ What string }

func (e *MissingError) Error() string { return "no " + e.What }

// Places lists the entries of a session that can be searched, in the order of the record. in reports
// whether sessions of a workspace may be shown. If it is nil, all may be.
func (x Sessions) Places(ctx context.Context, id string, in func(workspace string) bool) (places []EntryRef, err error) {
	logs, err := x.logs()
	if err != nil {
		return nil, fmt.Errorf("can't list the sessions: %w", err)
	}
	for _, l := range logs {
		if l.id() != id {
			continue
		}
		some, workspace, err := x.places(ctx, l)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("can't read session %s: %w", id, err)
		}
		if in == nil || workspace != "" && in(workspace) {
			places = append(places, some...)
		}
	}
	if len(places) == 0 {
		return nil, &MissingError{fmt.Sprintf("session %q in this repository", id)}
	}
	return places, nil
}

func (x Sessions) places(ctx context.Context, l log) (places []EntryRef, workspace string, err error) {
	in := &reader{traits: x.Traits}
	for r, err := range session.ScanRecords(l.path) {
		if err := errors.Join(err, ctx.Err()); err != nil {
			return nil, "", err
		}
		workspace = cmp.Or(r.OpenedWorkspace(), workspace)
		entry := r.Entry()
		if entry == nil || r.Length > largestRecord {
			continue
		}
		if d, ok := in.document(entry, r.Time); ok {
			places = append(places, EntryRef{Session: l.id(), Log: l.path, Number: r.Seq, Time: r.Time, Kind: d.kind, span: span{r.At, r.Length}})
		}
	}
	for i := range places {
		places[i].Workspace = workspace
	}
	return places, workspace, nil
}

// Read returns the entry at a EntryRef, without content fetched from records.
func (x Sessions) Read(p EntryRef) (*history.Content, error) {
	r, err := session.ReadAt(p.Log, p.at, p.length)
	if err != nil {
		return nil, err
	}
	entry := r.Entry()
	if entry == nil || r.Seq != p.Number {
		return nil, &MissingError{fmt.Sprintf("entry %d in session %s", p.Number, p.Session)}
	}
	return entry.WithBlocks((&reader{traits: x.Traits}).ownBlocks(entry.Blocks)), nil
}

package find

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"agent/internal/history"
	"agent/internal/session"
)

// A Place is an entry in the record of a session.
type Place struct {
	Session, Log, Workspace string
	// Number is the number of the record.
	Number uint64
	Time   time.Time
	Kind   string

	at     int64
	length int
}

// A MissingError says that a session or an entry of it cannot be found.
type MissingError struct{ What string }

func (e *MissingError) Error() string { return "there is no " + e.What }

// Places lists the entries of a session that can be searched, in the order of the record. in
// reports whether sessions of a workspace may be shown; nil allows all.
func (x Index) Places(ctx context.Context, id string, in func(workspace string) bool) (places []Place, err error) {
	for range attempts {
		if places, err = x.places(ctx, id, in); !errors.Is(err, errDamaged) {
			break
		}
	}
	return places, err
}

func (x Index) places(ctx context.Context, id string, in func(workspace string) bool) (places []Place, err error) {
	v, err := x.updated(ctx)
	if err != nil {
		return nil, err
	}
	defer v.close()
	workspaces := v.workspaces()
	for _, s := range v.segments {
		for _, e := range s.entries {
			log := s.parts[e.part].log
			if sessionOf(log) == id && (in == nil || workspaces[log] != "" && in(workspaces[log])) {
				places = append(places, Place{id, x.log(log), workspaces[log], e.seq, time.UnixMilli(e.time), kinds[e.kind], e.at, e.length})
			}
		}
	}
	if len(places) == 0 {
		return nil, &MissingError{fmt.Sprintf("session %q that can be shown here", id)}
	}
	slices.SortFunc(places, func(a, b Place) int { return cmp.Or(cmp.Compare(a.Log, b.Log), cmp.Compare(a.at, b.at)) })
	return places, nil
}

// Read returns the entry at a place, without what was fetched from records.
func (x Index) Read(p Place) (*history.Content, error) {
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

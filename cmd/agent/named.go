package main

import (
	"errors"
	"fmt"

	"agent/internal/nearest"
	"agent/internal/session"
)

// namedSession is the recorded session with an id, or the only one whose id begins so.
// The error for one that is not there asks whether the nearest is meant.
func (f folders) namedSession(id string) (session.Info, error) {
	info, err := session.Find(f.sessionsDir(), "", id)
	if missing := (*session.NotFoundError)(nil); errors.As(err, &missing) {
		if near := nearestID(id, missing.IDs); near != "" {
			err = fmt.Errorf("%w; did you mean %s?", err, near)
		}
	}
	return info, err
}

// nearestID is the id that was meant by another, by a part of it or by a mistyped
// beginning; "" for none.
func nearestID(id string, ids []string) string {
	if near := nearest.Of(id, ids, 1); len(near) > 0 {
		return near[0]
	}
	// shortest is the length of year and month; less of an
	// id is the beginning of too many.
	const shortest = 6
	if len(id) < shortest {
		return ""
	}
	whole, beginnings := map[string]string{}, []string{}
	for _, known := range ids {
		beginning := known[:min(len(id), len(known))]
		if whole[beginning] == "" {
			whole[beginning] = known
			beginnings = append(beginnings, beginning)
		}
	}
	for _, beginning := range nearest.Of(id, beginnings, 1) {
		return whole[beginning]
	}
	return ""
}

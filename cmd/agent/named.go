package main

import (
	"errors"
	"fmt"
	"strings"

	"agent/internal/nearest"
	"agent/internal/session"
)

// namedSession is the recorded session with an id, or the only one whose id begins so,
// or whose last part it is. The error for one that is not there asks whether the nearest
// is meant.
func (f folders) namedSession(id string) (session.Info, error) {
	info, err := session.Find(f.sessionsDir(), "", id)
	if missing := (*session.NotFoundError)(nil); errors.As(err, &missing) {
		if whole := endingIn(id, missing.IDs); whole != "" {
			return session.Find(f.sessionsDir(), "", whole)
		}
		if near := nearestID(id, missing.IDs); near != "" {
			err = fmt.Errorf("%w; did you mean %s?", err, near)
		}
	}
	return info, err
}

// endingIn is the only id whose last part, which chance chose, is another; "" for none.
func endingIn(part string, ids []string) string {
	found := ""
	for _, id := range ids {
		if _, last, _ := strings.Cut(id[strings.IndexByte(id, '-')+1:], "-"); last == part && part != "" {
			if found != "" {
				return ""
			}
			found = id
		}
	}
	return found
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

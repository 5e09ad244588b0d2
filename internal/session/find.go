package session

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

// AmbiguousError says that the beginning of an id fits several sessions.
type AmbiguousError struct {
	Prefix string
	IDs    []string
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%q is the beginning of %d sessions: %s; write more of it", e.Prefix, len(e.IDs), strings.Join(e.IDs, ", "))
}

// NotFoundError says that no session has an id, or an id that begins so. IDs has the
// existing sessions, latest used first, for proposals.
type NotFoundError struct {
	ID  string
	IDs []string
}

func (e *NotFoundError) Error() string {
	return e.ID + ": there is no such session; `agent sessions list --all` shows all of them"
}

// Find returns the session whose id is prefix, or the only one whose id begins
// with it. An empty workspace searches all.
func Find(dir, workspace, prefix string) (Info, error) {
	infos, err := List(dir, workspace)
	if err != nil {
		return Info{}, err
	}
	var matching []Info
	var ids, all []string
	for _, info := range infos {
		if info.ID == prefix {
			return info, nil
		}
		all = append(all, info.ID)
		if strings.HasPrefix(info.ID, prefix) {
			matching, ids = append(matching, info), append(ids, info.ID)
		}
	}
	switch len(matching) {
	case 0:
		return Info{}, &NotFoundError{prefix, all}
	case 1:
		return matching[0], nil
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

package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"agent/internal/compression"
	"agent/internal/disk"
	"agent/internal/nearest"
	"agent/internal/rawjson"
	"agent/internal/session"
	"agent/internal/slash"
	"agent/internal/snapshot"
)

// Folders are where a program keeps its files.
type Folders struct {
	// Config holds profiles, prompts and keys.
	Config string
	// Data holds the records of sessions.
	Data string
	// State holds the log, and what files held before the agent changed them.
	State string
}

// Folders resolves the XDG folders. A relative one is refused: it would mean a
// different place in every folder the program is started from.
func (p *Process) Folders() (Folders, error) {
	var f Folders
	for _, x := range []struct {
		into     *string
		variable string
		fallback string
	}{
		{&f.Config, "XDG_CONFIG_HOME", ".config"},
		{&f.Data, "XDG_DATA_HOME", ".local/share"},
		{&f.State, "XDG_STATE_HOME", ".local/state"},
	} {
		base := p.Env(x.variable)
		switch {
		case base == "" && p.Home == "":
			return f, InputError{errors.New("no home folder: set HOME, or all of XDG_CONFIG_HOME, XDG_DATA_HOME and XDG_STATE_HOME")}
		case base == "" && !filepath.IsAbs(p.Home):
			return f, InputError{errors.New("HOME is relative (" + p.Home + "); set it to an absolute path")}
		case base == "":
			base = filepath.Join(p.Home, x.fallback)
		case !filepath.IsAbs(base):
			return f, InputError{errors.New(x.variable + " is relative (" + base + "); set it to an absolute path or unset it")}
		}
		*x.into = filepath.Join(base, "agent")
	}
	return f, nil
}

// Sessions is where the records of all sessions are.
func (f Folders) Sessions() string { return filepath.Join(f.Data, "sessions") }

// Snapshots is where what files held is kept, a folder a session.
func (f Folders) Snapshots() string { return filepath.Join(f.State, "snapshots") }

// SnapshotsOf is the folder of a session.
func (f Folders) SnapshotsOf(session string) string { return filepath.Join(f.Snapshots(), session) }

// DeleteSession removes the record of a session, and what files held before it.
func (f Folders) DeleteSession(info session.Info) error {
	if err := session.Delete(info.Path); err != nil {
		return err
	}
	_ = snapshot.Remove(f.SnapshotsOf(info.ID)) // what is left is swept
	return nil
}

// SessionLists are the recorded sessions, of a workspace or of all.
func (f Folders) SessionLists(workspace string, now func() time.Time) slash.SessionLists {
	return slash.SessionLists{
		List: func(all bool) ([]session.Info, error) {
			if all {
				return session.List(f.Sessions(), "")
			}
			return session.List(f.Sessions(), workspace)
		},
		Rename: func(info session.Info, title string) error { return session.Retitle(info.Path, title, now) },
		Delete: f.DeleteSession,
		InUse:  func() string { return "" },
		Now:    now,
	}
}

// NamedSession returns the recorded session that a person calls by a name, as session.Named
// does. The error for a name that no session has asks whether the nearest id is meant.
func (f Folders) NamedSession(workspace, name string) (session.Info, error) {
	infos, err := session.List(f.Sessions(), "")
	if err != nil {
		return session.Info{}, err
	}
	info, err := session.Named(infos, workspace, name)
	if missing := (*session.NotFoundError)(nil); errors.As(err, &missing) {
		ids := make([]string, len(infos))
		for i, known := range infos {
			ids[i] = known.ID
		}
		if near := nearestID(name, ids); near != "" {
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
	whole := map[string]string{} // ids by their beginnings
	for _, known := range slices.Backward(ids) {
		whole[known[:min(len(id), len(known))]] = known
	}
	for _, beginning := range nearest.Of(id, slices.Sorted(maps.Keys(whole)), 1) {
		return whole[beginning]
	}
	return ""
}

// home is what an installation keeps of the time it was new: which strategy its
// conversations have where nobody has chosen one (D-90).
type home struct {
	Strategy string `json:"strategy"`
}

// homeFile keeps it.
func (f Folders) homeFile() string { return filepath.Join(f.Data, "home.json") }

// usualStrategy is the strategy of conversations where nobody has chosen one. An
// installation that is older than the file keeps what it had.
func (f Folders) usualStrategy() string {
	var known home
	data, err := disk.Read(f.homeFile())
	switch {
	case err == nil && json.Unmarshal(data, &known) == nil && slices.Contains(compression.Names(), known.Strategy):
		return known.Strategy
	case f.used():
		return compression.DefaultName
	}
	return compression.CacheAwareName
}

// used reports whether there is a session, a profile or a configuration.
func (f Folders) used() bool {
	for _, pattern := range []string{
		filepath.Join(f.Sessions(), "*"), filepath.Join(f.Config, "profiles", "*"), filepath.Join(f.Config, "config.json"),
	} {
		if found, err := filepath.Glob(pattern); err == nil && len(found) > 0 {
			return true
		}
	}
	return false
}

// settle keeps the strategy as it is before the first session is recorded. It returns what
// the person should know, "" for nothing.
func (f Folders) settle() (notice string, err error) {
	if _, err := os.Stat(f.homeFile()); err == nil {
		return "", nil
	}
	chosen := home{f.usualStrategy()}
	data, err := rawjson.Marshal(chosen)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(f.Data, 0o700); err != nil {
		return "", err
	}
	if err := disk.Replace(f.homeFile(), append(data, '\n'), 0o600); err != nil || chosen.Strategy == compression.CacheAwareName {
		return "", err
	}
	return "The context is pruned by " + chosen.Strategy + " as before; new installations use " + compression.CacheAwareName +
		", which asks what each cut costs (/set compression-strategy " + compression.CacheAwareName + ").", nil
}

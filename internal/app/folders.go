package app

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"agent/internal/attach"

	"agent/internal/base/fsutil"
	"agent/internal/base/suggest"
	"agent/internal/extend/setup/plugins"
	"agent/internal/session"
	"agent/internal/slash"
	"agent/internal/snapshot"
)

// Folders holds the paths of the folders in which a program keeps its files.
type Folders struct {
	// Config holds profiles, prompts and keys.
	Config string
	// Data holds the records of sessions.
	Data string
	// State holds the log, and the contents of files from before the agent changed them.
	State string
	// Cache holds files that can be created again. It is "" if there is no folder for them.
	Cache string
}

// Folders returns the XDG folders, or on Windows the folders below APPDATA and LOCALAPPDATA unless the home
// folder has .config/agent. It returns an error for a relative folder, because that would change with the
// folder in which the program is started.
func (p *Process) Folders() (Folders, error) { return p.foldersOn(runtime.GOOS) }

func (p *Process) foldersOn(system string) (Folders, error) {
	f := Folders{Cache: p.Caches()}
	_, err := os.Stat(filepath.Join(p.Home, ".config", "agent"))
	windows := system == "windows" && err != nil
	if local := p.Env("LOCALAPPDATA"); windows && filepath.IsAbs(local) && p.Env("XDG_CACHE_HOME") == "" {
		f.Cache = filepath.Join(local, "agent", "cache")
	}
	for _, x := range []struct {
		into            *string
		variable        string
		below           string
		windowsVariable string
		windowsFolders  string
	}{
		{&f.Config, "XDG_CONFIG_HOME", ".config", "APPDATA", "agent"},
		{&f.Data, "XDG_DATA_HOME", ".local/share", "LOCALAPPDATA", "agent/data"},
		{&f.State, "XDG_STATE_HOME", ".local/state", "LOCALAPPDATA", "agent/state"},
	} {
		variable, folders := x.variable, "agent"
		if windows && p.Env(x.variable) == "" && p.Env(x.windowsVariable) != "" {
			variable, folders = x.windowsVariable, x.windowsFolders
		}
		base := p.Env(variable)
		switch {
		case base == "" && p.Home == "":
			return f, InputError{errors.New("no home folder: set HOME, or set XDG_CONFIG_HOME, XDG_DATA_HOME and XDG_STATE_HOME")}
		case base == "" && !filepath.IsAbs(p.Home):
			return f, InputError{errors.New("HOME is relative (" + p.Home + "); set it to an absolute path")}
		case base == "":
			base = filepath.Join(p.Home, x.below)
		case !filepath.IsAbs(base):
			return f, InputError{errors.New(variable + " is relative (" + base + "); set it to an absolute path or unset it")}
		}
		*x.into = filepath.Join(base, folders)
	}
	return f, nil
}

// Sessions returns the folder with the records of all sessions.
func (f Folders) Sessions() string { return filepath.Join(f.Data, "sessions") }

// SocketFolders returns the folders of the sockets of running sessions, the preferred one first.
func (p *Process) SocketFolders(f Folders) []string {
	return attach.Folders(p.Env("XDG_RUNTIME_DIR"), f.State)
}

// Plugins returns the store of the user's plugins.
func (f Folders) Plugins() plugins.Store {
	return plugins.Store{Folder: fsutil.ResolveLinks(filepath.Join(f.Data, "plugins"))}
}

// Snapshots returns the folder with the snapshots of files, which has one folder per session.
func (f Folders) Snapshots() string { return filepath.Join(f.State, "snapshots") }

// SnapshotsOf returns the folder with the snapshots of a session.
func (f Folders) SnapshotsOf(session string) string { return filepath.Join(f.Snapshots(), session) }

// DeleteSession removes the record and the snapshots of a session.
func (f Folders) DeleteSession(info session.Info) error {
	if err := session.Delete(info.Path); err != nil {
		return err
	}
	_ = snapshot.Remove(f.SnapshotsOf(info.ID)) // a later sweep removes the rest
	if f.Cache == "" {
		return nil
	}
	// Versions before December 2026 kept a search index with the words of all sessions.
	return os.RemoveAll(filepath.Join(f.Cache, "find"))
}

// SessionLists returns the lists of recorded sessions, for one workspace or for all.
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

// NamedSession returns the recorded session with a name that a user typed, by the rules of session.FindByName.
// If no session has the name, the error suggests the nearest id.
func (f Folders) NamedSession(workspace, name string) (session.Info, error) {
	infos, err := session.List(f.Sessions(), "")
	if err != nil {
		return session.Info{}, err
	}
	info, err := session.FindByName(infos, workspace, name)
	if missing := (*session.NotFoundError)(nil); errors.As(err, &missing) {
		ids := make([]string, len(infos))
		for i, known := range infos {
			ids[i] = known.ID
		}
		missing.Near = nearestID(name, ids)
	}
	return info, err
}

// nearestID returns the id that a user probably meant with a part of an id or a mistyped beginning, or ""
// for none.
func nearestID(id string, ids []string) string {
	if near := suggest.Similar(id, ids, 1); len(near) > 0 {
		return near[0]
	}
	// shortest is the length of year and month; a shorter beginning fits too many ids.
	const shortest = 6
	if len(id) < shortest {
		return ""
	}
	whole := map[string]string{} // whole ids by their beginnings
	for _, known := range slices.Backward(ids) {
		whole[known[:min(len(id), len(known))]] = known
	}
	for _, beginning := range suggest.Similar(id, slices.Sorted(maps.Keys(whole)), 1) {
		return whole[beginning]
	}
	return ""
}

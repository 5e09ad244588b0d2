package workspace

import (
	"slices"
	"strings"

	"agent/internal/base/fsutil"
)

// systemTemp is the folder that MapTemp replaces.
const systemTemp = "/tmp"

// TempMapping describes the folder that commands see as /tmp. The methods of Workspace accept and show
// paths as commands see them, and return paths on disk.
type TempMapping struct {
	// Folder returns the absolute folder, without links. It returns "" while commands see the
	// system's /tmp. The folder need not exist.
	Folder func() string
	// Make creates the folder. It is called before every use.
	Make func() error
	// Shown lists the paths of the system's /tmp that commands still see.
	Shown []string
}

// MapTemp maps paths below /tmp to the files that commands see there. It is called before the
// workspace is shared.
func (w *Workspace) MapTemp(m TempMapping) { w.mapped = m }

// MakeOwnTemp creates and returns the folder that commands see as /tmp. It returns "" if they see the
// system's.
func (w *Workspace) MakeOwnTemp() string {
	folder := w.ownTemp()
	if folder == "" || w.mapped.Make() != nil {
		return ""
	}
	return folder
}

// MapsTemp reports whether commands see a private folder as /tmp. It does not create the folder.
func (w *Workspace) MapsTemp() bool { return w.ownTemp() != "" }

func (w *Workspace) ownTemp() string {
	if w.mapped.Folder == nil {
		return ""
	}
	return w.mapped.Folder()
}

// DiskPath returns the path on disk for a clean absolute path of a command. It follows no links.
func (w *Workspace) DiskPath(path string) string {
	if !fsutil.Within(path, systemTemp) {
		return path
	}
	own := w.ownTemp()
	if own == "" {
		return path
	}
	if w.isShown(path, own) {
		return path
	}
	return own + strings.TrimPrefix(path, systemTemp)
}

// isShown reports whether a path below /tmp is the same for commands as on disk. This includes
// paths below own, the folder that commands see as /tmp, so that paths from Resolve resolve to
// themselves.
func (w *Workspace) isShown(path, own string) bool {
	return slices.ContainsFunc(w.shown(own), func(folder string) bool { return fsutil.Within(path, folder) })
}

func (w *Workspace) shown(own string) []string {
	return slices.DeleteFunc(slices.Concat([]string{w.root, w.temp, own}, w.looks, w.mapped.Shown), func(folder string) bool { return folder == "" })
}

// holdsShown reports whether a path is a folder above a path that is the same for commands as on
// disk. Such a folder exists for commands too, even if their /tmp contains another file with its
// name.
func (w *Workspace) holdsShown(path string) bool {
	own := ""
	if fsutil.Within(path, systemTemp) {
		own = w.ownTemp()
	}
	return own != "" && slices.ContainsFunc(w.shown(own), func(folder string) bool { return folder != path && fsutil.Within(folder, path) })
}

// CommandPath returns the path under which commands see a path on disk.
func (w *Workspace) CommandPath(abs string) string {
	if own := w.ownTemp(); own != "" && fsutil.Within(abs, own) {
		return systemTemp + strings.TrimPrefix(abs, own)
	}
	return abs
}

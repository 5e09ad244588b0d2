package consent

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"agent/internal/base/fsutil"
	"agent/internal/base/rawjson"
	"agent/internal/extend/setup/trustedfile"
	"agent/internal/rules"
)

// Permissions holds the rules that the user has allowed permanently in the repository of a
// workspace. They are stored in allowed.json of the configuration, which other sessions may use
// concurrently. Permissions is safe for concurrent use.
type Permissions struct {
	path string
	// place is the folder of the repository.
	place string
	// id is the identity of the repository.
	id string
	// below is the path of the workspace in the repository, "" for the repository itself.
	below string
	now   func() time.Time

	mu sync.Mutex
	// read describes the file when it was last read.
	read fs.FileInfo
	// all holds the rules of the file when it was last read.
	all []permission
}

// permission is a rule in the file.
type permission struct {
	Root string `json:"root"`
	// ID is the identity of the repository. The rules do not apply to another repository at the
	// same path.
	ID string `json:"id"`
	rules.Permission
}

// permissions is the part of allowed.json that contains the rules.
type permissions struct {
	All []permission `json:"permissions"`
}

// OpenPermissions returns the permissions of the repository of a workspace. It returns nil for the
// home folder, and for a repository that contains the configuration and could therefore change the
// file. It does not read the file.
func OpenPermissions(w trustedfile.Locations, now func() time.Time) *Permissions {
	w.Home, w.Workspace = real(w.Home), real(w.Workspace)
	top := root(w)
	at := place(top, w.Home)
	if at == "" || w.Config == "" || fsutil.Within(real(w.Config), top) || fsutil.Within(real(filepath.Join(w.Config, allowedFile)), top) {
		return nil
	}
	p := &Permissions{path: filepath.Join(w.Config, allowedFile), place: at, id: identity(at), now: now}
	if rel, err := filepath.Rel(top, w.Workspace); err == nil && rel != "." {
		p.below = filepath.ToSlash(rel)
	}
	if p.id == "" {
		return nil
	}
	return p
}

// allowedFile is the configuration file with everything that the user has allowed.
const allowedFile = "allowed.json"

// identity returns the identity of the repository at a path. Another repository at the same path
// has a different identity. It is the identity of the git folder, or of place itself if there is
// none.
func identity(place string) string {
	if id := fsutil.Identity(filepath.Join(place, ".git")); id != "" {
		return id
	}
	return fsutil.Identity(place)
}

// Path returns the file with the permissions.
func (p *Permissions) Path() string { return p.path }

// Place returns the folder of the repository to which the permissions apply.
func (p *Permissions) Place() string { return p.place }

// Permissions returns the current permissions of the repository from the file, oldest first. A file
// that cannot be read permits nothing.
func (p *Permissions) Permissions() []rules.Permission {
	p.mu.Lock()
	defer p.mu.Unlock()
	info, err := os.Stat(p.path)
	if err != nil {
		p.read, p.all = nil, nil
		return nil
	}
	if p.read == nil || !os.SameFile(p.read, info) || p.read.Size() != info.Size() || !p.read.ModTime().Equal(info.ModTime()) {
		members, err := rawjson.ReadShared[permissions](p.path)
		if err != nil {
			p.read, p.all = nil, nil
			return nil
		}
		p.read, p.all = info, members.All
	}
	var kept []rules.Permission
	for _, one := range p.all {
		if here, ours := p.fromFile(one); ours {
			kept = append(kept, here)
		}
	}
	return kept
}

// Add adds rules, except rules that are equivalent to an existing one.
func (p *Permissions) Add(add ...rules.Permission) error {
	return p.change("can't save the permission", func(all []permission) []permission {
		for _, k := range add {
			k.Since, k.Used, k.Count = p.today(), "", 0
			if !slices.ContainsFunc(all, p.isOurs(k)) {
				all = append(all, p.toFile(k))
			}
		}
		return all[max(0, len(all)-maxRecords):]
	})
}

// Remove removes rules.
func (p *Permissions) Remove(drop ...rules.Permission) error {
	return p.change("can't revoke the permission", func(all []permission) []permission {
		for _, k := range drop {
			all = slices.DeleteFunc(all, p.isOurs(k))
		}
		return all
	})
}

// CountUse counts one use of each rule. It ignores errors.
func (p *Permissions) CountUse(used ...rules.Permission) {
	_ = p.change("", func(all []permission) []permission {
		for _, k := range used {
			if i := slices.IndexFunc(all, p.isOurs(k)); i >= 0 {
				all[i].Used, all[i].Count = p.today(), all[i].Count+1
			}
		}
		return all
	})
}

// change changes the rules in the file under its lock. fails is the start of the error message.
func (p *Permissions) change(fails string, change func([]permission) []permission) error {
	err := rawjson.ChangeShared(p.path, func(m *permissions) { m.All = change(m.All) })
	if err != nil {
		return fmt.Errorf("%s in %s: %w", fails, p.path, fsutil.Reason(err))
	}
	return nil
}

func (p *Permissions) today() string { return p.now().Format(time.DateOnly) }

// isOurs returns a function that reports whether a rule in the file belongs to the repository and
// is equivalent to k.
func (p *Permissions) isOurs(k rules.Permission) func(permission) bool {
	wanted := p.toFile(k)
	return func(one permission) bool {
		return one.Root == wanted.Root && one.ID == wanted.ID && one.SameAs(wanted.Permission)
	}
}

// toFile converts a rule to the form in the file. Its paths are relative to the top of the
// repository.
func (p *Permissions) toFile(k rules.Permission) permission {
	if k.Edits != "" && !strings.HasPrefix(k.Edits, "*.") {
		k.Edits = path.Join(p.below, k.Edits)
	}
	if k.OutsideCommand != "" || k.Directory != "" {
		k.Directory = path.Join(p.below, k.Directory)
	}
	return permission{Root: p.place, ID: p.id, Permission: k}
}

// fromFile converts a rule of the file to the form for the workspace. ours reports whether it
// applies there.
func (p *Permissions) fromFile(one permission) (k rules.Permission, ours bool) {
	k = one.Permission
	if one.Root != p.place || one.ID != p.id {
		return k, false
	}
	if k.Edits != "" && !strings.HasPrefix(k.Edits, "*.") {
		k.Edits, ours = p.inWorkspace(k.Edits)
		return k, ours && k.Edits != ""
	}
	if k.OutsideCommand != "" {
		k.Directory, ours = p.inWorkspace(k.Directory)
		return k, ours
	}
	if k.Directory != "" { // in a rule about files, paths are relative to Directory
		ours = k.Directory == path.Join(p.below, ".")
		k.Directory = "."
		return k, ours
	}
	return k, true
}

// inWorkspace returns a path in the repository relative to the workspace, and whether the path is
// in the workspace.
func (p *Permissions) inWorkspace(file string) (string, bool) {
	if p.below == "" {
		return file, true
	}
	if file == p.below {
		return "", true
	}
	return strings.CutPrefix(file, p.below+"/")
}

package sandbox

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"agent/internal/base/fsutil"
	"agent/internal/gitfiles/layout"
	"agent/internal/protect/sensitive"
)

// Profile is the set of rights of a command.
type Profile int

// The profiles, from the fewest rights to the most.
const (
	// ProfileReadOnly may read everything except hidden files, and may write only to its temporary folder. It
	// has no network.
	ProfileReadOnly Profile = iota
	// ProfileWork may also write to the workspace, except for protected files. It can connect to programs
	// in its own network namespace.
	ProfileWork
	// ProfileUnconfined is not confined.
	ProfileUnconfined
)

// String returns the name of the profile.
func (p Profile) String() string { return [...]string{"look", "work", "open"}[p] }

// ParseProfile returns the confining profile with the given name.
func ParseProfile(name string) (Profile, error) {
	for _, p := range []Profile{ProfileReadOnly, ProfileWork} {
		if name == p.String() {
			return p, nil
		}
	}
	return 0, fmt.Errorf("unknown sandbox profile %q (valid: look, work)", name)
}

// Policy lists the rights of a command. Paths that do not exist are omitted.
type Policy struct {
	Profile Profile
	// ProfileWork may write to Workspace. Every profile may write to Temp, and TMPDIR is set to it. No
	// part of the path Temp may be a link.
	Workspace, Temp string
	// PrivateTemp is the folder that the command sees as /tmp, if the backend has namespaces. If
	// it is empty, the command sees the system's /tmp.
	PrivateTemp string
	// AllowWrite lists further folders and files that Work may write.
	AllowWrite []string
	// DenyRead lists files and folders that cannot be opened, such as secret files.
	DenyRead []string
	// Protected lists files and folders inside the workspace that the command must not change. The
	// files that make git run programs are added to it.
	Protected []string
	// Approved lists the paths of Protected that run outside of the sandbox, because a user has
	// approved their content. With mounts, no folder above them can be renamed. Otherwise a command
	// could exchange a folder between the check and the start, so that other content runs.
	Approved []string
	// GitConfigurations lists the user's git configurations, which apply in every repository. Files
	// of the workspace that are named by these, or by the repositories' configurations, are
	// protected too.
	GitConfigurations []string
	// Survey finds further files of the workspace: files to protect, and secret files, which cannot
	// be opened unless they are inside AllowRead. If it is nil, no files are searched for.
	Survey    *sensitive.Survey
	AllowRead []string
	// Network gives Work access to the network.
	Network bool
	// Caches is the folder in which commands in Work store the caches of build tools. If it is
	// empty, the tools use their usual caches.
	Caches string
	// UserCaches lists the user's own caches of build tools. If the backend has namespaces, a
	// command sees each cache below a layer that receives its writes. Otherwise commands get copies
	// in Caches, and an empty folder for each cache that they may not read.
	UserCaches []Cache
	// Grace is the time from the request to end the remaining processes until they are killed.
	Grace time.Duration
	// LongRunning is set for a server, which runs long and is mostly idle. Outside of a namespace
	// its processes are not counted, because the count would be repeated as long as it runs.
	LongRunning bool

	// dir is the folder in which the command starts. git lists the folders outside the work tree
	// that git must write.
	dir string
	// layerFolder is the folder of the layers, which no command writes directly. layered lists the
	// caches with a layer.
	layerFolder string
	layered     []Cache
	// dirInTemp is set if dir is in PrivateTemp.
	dirInTemp bool
	git       []string
	// processes is the largest number of processes and threads of the command.
	processes int
	// innerRepositories lists the git folders that the survey found inside the workspace.
	innerRepositories []string
	// movable lists the Protected paths whose parent folder a command may rename. A mount does not
	// prevent that, so the guard restores them at the end.
	movable []string
	// present holds the existing paths of Protected, for the profile Work. Few of several hundred
	// exist, so the list is built once.
	present map[string]fs.FileInfo
}

// mostProcesses is the usual limit on the processes and threads of a command.
const mostProcesses = 4096

// resolve makes the paths of the policy absolute and free of links, and adds the files that the
// survey found.
func (p Policy) resolve(dir string, backend Backend) (Policy, error) {
	var err error
	if p.dir, err = filepath.Abs(dir); err != nil {
		return p, err
	}
	if p.Grace == 0 {
		p.Grace = defaultGrace
	}
	if p.processes == 0 {
		p.processes = mostProcesses
	}
	if p.Profile != ProfileUnconfined && p.Workspace == "" {
		return p, fmt.Errorf("the sandbox policy has no workspace")
	}
	if p.Caches != "" {
		p.layerFolder = p.Caches + ".layers"
	}
	if p.Profile == ProfileWork && p.Caches != "" && os.MkdirAll(p.Caches, 0o700) != nil {
		p.Caches = "" // commands also run with a read-only home or a full disk
	}
	p.Workspace, p.Caches = layout.Real(p.Workspace), layout.Real(p.Caches)
	if layout.Real(p.Temp) != p.Temp {
		p.Temp = "" // a command may have created a link there to make another folder writable
	}
	p.AllowWrite, p.DenyRead = existing(p.AllowWrite), existing(p.DenyRead)
	p = p.withOwnTemp(backend)
	var folders gitFolders
	agreed := p.Protected
	if p.Profile == ProfileWork {
		folders = findGit(p.Workspace)
	}
	p.git = folders.write
	p.Protected = append(slices.Clone(p.Protected), folders.protect...)
	if p.Survey != nil && p.Profile != ProfileUnconfined {
		p.addSurvey(p.Survey.ScanBefore(), backend)
	}
	if p.Profile != ProfileWork {
		return p, nil // the command cannot write to the workspace
	}
	named := p.configured(p.Workspace)
	p.Protected, p.movable = append(p.Protected, named...), slices.Concat(p.movable, named, agreed)
	p.present = map[string]fs.FileInfo{}
	for _, path := range p.Protected {
		if info, err := os.Lstat(path); err == nil {
			p.present[path] = info
		}
	}
	return p, nil
}

// configured returns the files in the workspace that git would run because a configuration names
// them. It reads the configuration of the repository at workTree and the user's configurations.
func (p Policy) configured(workTree string) []string {
	names := gitNames(workTree, p.GitConfigurations)
	for _, name := range names {
		names = append(names, layout.Real(name)) // the target of a link is protected too
	}
	return slices.DeleteFunc(names, func(name string) bool {
		return name == "" || !fsutil.Within(name, p.Workspace) || name == p.Workspace || slices.Contains(p.Protected, name)
	})
}

// presentPaths returns the sorted Protected paths that exist.
func (p Policy) presentPaths() []string { return slices.Sorted(maps.Keys(p.present)) }

// addSurvey adds the files that the survey found to Protected and DenyRead.
func (p *Policy) addSurvey(found sensitive.Files, backend Backend) {
	if p.Profile == ProfileWork {
		var folders gitFolders
		p.innerRepositories = found.Repositories
		for _, repository := range found.Repositories {
			folders.addProtected(repository)
			folders.protect = append(folders.protect, p.configured(filepath.Dir(repository))...)
		}
		p.movable = slices.Concat(found.RunLater, folders.protect)
		p.Protected = append(p.Protected, p.movable...)
		slices.Sort(p.Protected)
		p.Protected = slices.Compact(p.Protected)
	}
	if hidesKeys(backend, p.Profile) {
		p.DenyRead = append(p.DenyRead, p.keyFiles(found)...)
	}
}

// keyFiles returns the secret files of the workspace that commands may not read by the policy.
func (p Policy) keyFiles(found sensitive.Files) []string {
	allowed := existing(p.AllowRead)
	return slices.DeleteFunc(existing(found.KeyFiles), func(path string) bool {
		return slices.ContainsFunc(allowed, func(folder string) bool { return fsutil.Within(path, folder) })
	})
}

// existing returns the paths that exist, with links resolved and without duplicates.
func existing(paths []string) []string {
	var found []string
	for _, path := range paths {
		if path = layout.Real(path); path != "" && !slices.Contains(found, path) {
			found = append(found, path)
		}
	}
	return found
}

// writable returns the folders and files that the command may write, parents first.
func (p Policy) writable() []string {
	paths := []string{p.Temp}
	if p.Profile == ProfileWork {
		paths = append(paths, p.Workspace, p.Caches)
		paths = append(append(paths, p.git...), p.AllowWrite...)
		for _, c := range p.layered {
			paths = append(paths, c.Path)
		}
	}
	slices.Sort(paths)
	paths = slices.Compact(paths)
	return slices.DeleteFunc(paths, func(path string) bool { return path == "" })
}

// Writable returns the folders and files that commands may write besides the workspace and the
// temporary folder.
func (p Policy) Writable() []string {
	paths := slices.Clone(p.AllowWrite)
	if p.Caches != "" {
		paths = append(paths, p.Caches)
	}
	return paths
}

// AllowsWrite reports whether a command in Work may write to a path. The path must contain no links.
// Protected files are not considered.
func (p Policy) AllowsWrite(path string) bool {
	folders := append([]string{p.Workspace, p.Temp, "/dev/shm"}, p.Writable()...)
	return slices.ContainsFunc(folders, func(folder string) bool { return folder != "" && fsutil.Within(path, layout.Real(folder)) })
}

func (p Policy) network() bool { return p.Profile == ProfileWork && p.Network }

package sandbox

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"agent/internal/disk"
	"agent/internal/git/layout"
	"agent/internal/protect/survey"
)

// Profile says how much a command may do.
type Profile int

// The profiles.
const (
	// Look may read all but what is hidden, and write nothing but its temporary
	// folder. There is no network.
	Look Profile = iota
	// Work may besides write the workspace, except for what is protected, and use
	// network connections to itself.
	Work
	// Open is not confined.
	Open
)

// String is the name of the profile.
func (p Profile) String() string { return [...]string{"look", "work", "open"}[p] }

// ParseProfile reads the name of a profile that confines.
func ParseProfile(name string) (Profile, error) {
	for _, p := range []Profile{Look, Work} {
		if name == p.String() {
			return p, nil
		}
	}
	return 0, fmt.Errorf("there is no profile %q (valid: look, work)", name)
}

// Policy is what a command may do. Paths that do not exist are left out.
type Policy struct {
	Profile Profile
	// Workspace may be written in Work, Temp always; TMPDIR is set to it. No link leads to Temp.
	Workspace, Temp string
	// PrivateTemp is the folder that the command finds as /tmp, where there are namespaces;
	// empty: it finds the system's.
	PrivateTemp string
	// AllowWrite are further folders and files that Work may write.
	AllowWrite []string
	// DenyRead are files and folders that cannot be opened, such as those that hold keys.
	DenyRead []string
	// Protected are files and folders inside the workspace that stay as they are.
	// What makes git run programs is protected besides.
	Protected []string
	// GitConfigurations are the user's configurations of git, which count in every
	// repository. What they and those of the repositories name in the workspace stays as
	// it is too.
	GitConfigurations []string
	// Survey finds what else of the workspace stays as it is, and what holds keys and
	// cannot be opened but for AllowRead; nil: nothing does.
	Survey    *survey.Survey
	AllowRead []string
	// Network leaves the network on in Work.
	Network bool
	// Caches is a folder for the caches of build tools in Work; empty to leave
	// them off.
	Caches string
	// Grace is how long what the command leaves behind has to end when asked to.
	Grace time.Duration
	// Stays says that the command is a server, which runs long and idles: outside of a
	// namespace nobody counts its processes, which costs time as long as it runs.
	Stays bool

	dir string
	git []string
	// processes bounds the processes and threads of the command.
	processes int
	// found are the repositories in the workspace that the survey found.
	found []string
	// inside is what of Protected the caller or a configuration names, or the survey found; it is put back at the
	// end should it have been moved away with a folder above it.
	inside []string
	// present are those of Protected that there are, in Work. Of some hundred names few
	// exist, so it is asked once.
	present map[string]fs.FileInfo
}

// mostProcesses bounds the processes and threads of a command.
const mostProcesses = 4096

// resolve makes the policy's paths absolute and free of links, and has the survey
// look.
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
	if p.Profile != Open && p.Workspace == "" {
		return p, fmt.Errorf("the policy names no workspace")
	}
	if p.Profile == Work && p.Caches != "" && os.MkdirAll(p.Caches, 0o700) != nil {
		p.Caches = "" // a home that cannot be written, or a full disk, is no reason to run nothing
	}
	p.Workspace, p.Caches = layout.Real(p.Workspace), layout.Real(p.Caches)
	if layout.Real(p.Temp) != p.Temp {
		p.Temp = "" // a command may have put a link there, to make another folder writable
	}
	p.AllowWrite, p.DenyRead = existing(p.AllowWrite), existing(p.DenyRead)
	p = p.withOwnTemp(backend)
	var folders gitFolders
	agreed := p.Protected
	if p.Profile == Work {
		folders = findGit(p.Workspace)
	}
	p.git = folders.write
	p.Protected = append(slices.Clone(p.Protected), folders.protect...)
	if p.Survey != nil && p.Profile != Open {
		p.surveyed(p.Survey.Before(), backend)
	}
	if p.Profile != Work {
		return p, nil // nothing of it can be written
	}
	named := p.named(p.Workspace)
	p.Protected, p.inside = append(p.Protected, named...), slices.Concat(p.inside, named, agreed)
	p.present = map[string]fs.FileInfo{}
	for _, path := range p.Protected {
		if info, err := os.Lstat(path); err == nil {
			p.present[path] = info
		}
	}
	return p, nil
}

// named are the files in the workspace that git would run because a configuration names
// them, in the repository of a work tree.
func (p Policy) named(workTree string) []string {
	names := gitNames(workTree, p.GitConfigurations)
	for _, name := range names {
		names = append(names, layout.Real(name)) // behind a link it is another
	}
	return slices.DeleteFunc(names, func(name string) bool {
		return name == "" || !disk.Within(name, p.Workspace) || name == p.Workspace || slices.Contains(p.Protected, name)
	})
}

// there are the files of Protected that exist.
func (p Policy) there() []string { return slices.Sorted(maps.Keys(p.present)) }

// surveyed takes over what the survey found.
func (p *Policy) surveyed(found survey.Found, backend Backend) {
	if p.Profile == Work {
		var folders gitFolders
		p.found = found.Repositories
		for _, repository := range found.Repositories {
			folders.addProtected(repository)
			folders.protect = append(folders.protect, p.named(filepath.Dir(repository))...)
		}
		p.inside = slices.Concat(found.Later, folders.protect)
		p.Protected = append(p.Protected, p.inside...)
		slices.Sort(p.Protected)
		p.Protected = slices.Compact(p.Protected)
	}
	if backend == Thread && p.Profile == Work {
		return // it can hide nothing where files may be made
	}
	allowed := existing(p.AllowRead)
	p.DenyRead = append(p.DenyRead, slices.DeleteFunc(existing(found.Keys), func(path string) bool {
		return slices.ContainsFunc(allowed, func(folder string) bool { return disk.Within(path, folder) })
	})...)
}

func existing(paths []string) []string {
	var found []string
	for _, path := range paths {
		if path = layout.Real(path); path != "" && !slices.Contains(found, path) {
			found = append(found, path)
		}
	}
	return found
}

// writable are the folders and files that may be written, parents first.
func (p Policy) writable() []string {
	paths := []string{p.Temp}
	if p.Profile == Work {
		paths = append(paths, p.Workspace, p.Caches)
		paths = append(append(paths, p.git...), p.AllowWrite...)
	}
	slices.Sort(paths)
	paths = slices.Compact(paths)
	return slices.DeleteFunc(paths, func(path string) bool { return path == "" })
}

// Writable are the folders and files that commands may write besides the workspace and
// the temporary folder.
func (p Policy) Writable() []string {
	paths := slices.Clone(p.AllowWrite)
	if p.Caches != "" {
		paths = append(paths, p.Caches)
	}
	return paths
}

// Writes reports whether a command in Work may write what is at a path without links, but for
// what is protected.
func (p Policy) Writes(path string) bool {
	folders := append([]string{p.Workspace, p.Temp, "/dev/shm"}, p.Writable()...)
	return slices.ContainsFunc(folders, func(folder string) bool { return folder != "" && disk.Within(path, layout.Real(folder)) })
}

// network reports whether the command can reach others.
func (p Policy) network() bool { return p.Profile == Work && p.Network }

package mcphost

import (
	"os"
	"path/filepath"
	"slices"

	"agent/internal/base/fsutil"
	"agent/internal/extend/setup/servers"
)

// Programs returns the paths in the workspace where servers' programs are searched by bare name. PATH
// contains folders of the workspace if, for example, a virtual environment is active. A file that a command
// puts there would run outside of the sandbox at the next start of the server. Programs omits programs that
// an entry names by path, because they may be under development.
func (x *ConfiguredServers) Programs() (paths []string) {
	for _, s := range x.Servers {
		if s.Transport != servers.Stdio || s.Sandbox == servers.Sandboxed {
			continue
		}
		with, _ := s.Expand(servers.Environment{Lookup: x.Lookup}) // without variables it does not start
		if with.Command == "" || filepath.Base(with.Command) != with.Command {
			continue
		}
		path, _ := x.Lookup("PATH")
		if own, set := with.Env["PATH"]; set {
			path = own
		}
		for _, folder := range filepath.SplitList(path) {
			program := filepath.Join(fsutil.ResolveLinks(folder), with.Command)
			if filepath.IsAbs(folder) && fsutil.Within(program, x.Workspace) {
				paths = append(paths, program)
			}
			if _, err := os.Stat(program); err == nil {
				break // the program is found here, so later folders are not searched
			}
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

package mcphost

import (
	"os"
	"path/filepath"
	"slices"

	"agent/internal/base/fsutil"
	"agent/internal/extend/setup/servers"
)

// Programs returns the paths in the workspace at which the programs of servers are looked up by their
// bare names, because PATH has folders of it: those of an active virtual environment, say. What a
// command puts there would run outside of the sandbox at the next start of the server. A program that
// an entry names by its path may be under development, and is not among them.
func (x *Configured) Programs() (paths []string) {
	for _, s := range x.Servers {
		if s.Transport != servers.Stdio || s.Sandbox == servers.Sandboxed {
			continue
		}
		with, _ := s.Expand(servers.Environment{Lookup: x.Lookup}) // without a variable it does not start
		if with.Command == "" || filepath.Base(with.Command) != with.Command {
			continue
		}
		path, _ := x.Lookup("PATH")
		if own, set := with.Env["PATH"]; set {
			path = own
		}
		for _, folder := range filepath.SplitList(path) {
			program := filepath.Join(fsutil.Real(folder), with.Command)
			if filepath.IsAbs(folder) && fsutil.Within(program, x.Workspace) {
				paths = append(paths, program)
			}
			if _, err := os.Stat(program); err == nil {
				break // it is found here, and later folders are not looked at
			}
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

package sandbox

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/disk"
	"agent/internal/secret"
)

// reaching are the variables that lead to services which act for the user.
var reaching = []string{"SSH_AUTH_SOCK", "SSH_AGENT_PID", "GPG_AGENT_INFO", "DBUS_SESSION_BUS_ADDRESS", "DBUS_SYSTEM_BUS_ADDRESS"}

// Environ returns the variables that commands may see: environ without those that hold a
// secret by their name or their value, or lead to a service that has some, except for
// the names in allowed.
func Environ(environ, allowed []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(variable string) bool {
		name, value, _ := strings.Cut(variable, "=")
		return !slices.Contains(allowed, name) && (slices.Contains(reaching, strings.ToUpper(name)) || secret.Name(name) || secret.In(value))
	})
}

// caches are the variables by which build tools learn where to keep what they
// may use again, and the names of the folders. A cache that is shared with the
// world outside would let a command leave there what runs later. The build folder
// of cargo stays in the workspace, where people look for its results.
var caches = map[string]string{
	"GOCACHE": "go-build", "GOLANGCI_LINT_CACHE": "golangci-lint", "STATICCHECK_CACHE": "staticcheck",
	"npm_config_cache": "npm", "YARN_CACHE_FOLDER": "yarn",
	"PIP_CACHE_DIR": "pip", "UV_CACHE_DIR": "uv",
}

// environ is what a confined command has in its environment whatever was there.
func (p Policy) environ() (set []string) {
	if p.Temp != "" {
		set = append(set, "TMPDIR="+p.Temp)
	}
	if p.PrivateTemp != "" && disk.Within(p.dir, SystemTemp) {
		set = append(set, "PWD="+p.dir) // the name that the folder has for the command
	}
	if p.Profile == Work && p.Caches != "" {
		for _, name := range slices.Sorted(maps.Keys(caches)) {
			set = append(set, name+"="+filepath.Join(p.Caches, caches[name]))
		}
	}
	return set
}

// plain are the names, and plainBegin the beginnings of names, of variables that
// cannot make a program do more than it does.
var (
	plain      = []string{"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR", "COLUMNS", "LINES", "GOROOT", "GOPATH", "GOMODCACHE", "GOOS", "GOARCH"}
	plainBegin = []string{"LC_", "XDG_"}
)

// PlainEnviron returns the variables for a program that only looks: those of environ
// that name the user and the place, with a PATH that leads into none of the folders
// inside.
func PlainEnviron(environ []string, inside ...string) []string {
	var kept []string
	for _, variable := range environ {
		name, value, _ := strings.Cut(variable, "=")
		switch {
		case name == "PATH":
			kept = append(kept, "PATH="+SafePath(value, inside...))
		case slices.Contains(plain, name) || slices.ContainsFunc(plainBegin, func(begin string) bool { return strings.HasPrefix(name, begin) }):
			kept = append(kept, variable)
		}
	}
	return kept
}

// UnconfinedEnviron returns the variables for a command that is not confined: environ
// without a script for the shell to begin with that is in one of the folders inside,
// where confined commands may have put it.
func UnconfinedEnviron(environ []string, inside ...string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(variable string) bool {
		script, ok := strings.CutPrefix(variable, "BASH_ENV=")
		return ok && (!filepath.IsAbs(script) || IsInside(script, inside))
	})
}

// Variable returns the value of a variable of an environment, of which the last counts.
func Variable(environ []string, name string) string {
	for _, variable := range slices.Backward(environ) {
		if value, ok := strings.CutPrefix(variable, name+"="); ok {
			return value
		}
	}
	return ""
}

// WithSafePath returns environ with a PATH that leads into none of the folders inside.
func WithSafePath(environ []string, inside ...string) []string {
	safe := slices.Clone(environ)
	for i, variable := range safe {
		if path, ok := strings.CutPrefix(variable, "PATH="); ok {
			safe[i] = "PATH=" + SafePath(path, inside...)
		}
	}
	return safe
}

package sandbox

import (
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/base/fsutil"
	"agent/internal/base/secret"
)

// serviceVariables lists variables with addresses of services that act for the user.
var serviceVariables = []string{"SSH_AUTH_SOCK", "SSH_AGENT_PID", "GPG_AGENT_INFO", "DBUS_SESSION_BUS_ADDRESS", "DBUS_SYSTEM_BUS_ADDRESS"}

// Environ returns the part of environ that commands may see. It omits variables whose name or value
// looks like a secret, and variables with the address of a service that has secrets. Variables in
// allowed are always included.
func Environ(environ, allowed []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(variable string) bool {
		name, value, _ := strings.Cut(variable, "=")
		return !slices.Contains(allowed, name) && (slices.Contains(serviceVariables, strings.ToUpper(name)) || secret.IsSecretName(name) || secret.Contains(value))
	})
}

// environ returns the variables that a confined command gets in addition to the inherited ones.
func (p Policy) environ() (set []string) {
	if p.Temp != "" {
		set = append(set, "TMPDIR="+p.Temp)
	}
	if p.PrivateTemp != "" && fsutil.Within(p.dir, SystemTemp) {
		set = append(set, "PWD="+p.dir) // the path of the folder inside the sandbox
	}
	for _, c := range p.ownCaches() {
		set = append(set, c.variable+"="+filepath.Join(p.Caches, c.name))
	}
	return set
}

// Variables that cannot make a program do more than usual. plainVariables lists names, and
// plainPrefixes lists prefixes of names.
var (
	plainVariables = []string{"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR", "COLUMNS", "LINES", "GOROOT", "GOPATH", "GOMODCACHE", "GOOS", "GOARCH"}
	plainPrefixes  = []string{"LC_", "XDG_"}
)

// PlainEnviron returns the variables of environ that describe the user and the system, for a
// program that only reads. Its PATH omits the folders inside.
func PlainEnviron(environ []string, inside ...string) []string {
	var kept []string
	for _, variable := range environ {
		name, value, _ := strings.Cut(variable, "=")
		switch {
		case name == "PATH":
			kept = append(kept, "PATH="+SafePath(value, inside...))
		case slices.Contains(plainVariables, name) || slices.ContainsFunc(plainPrefixes, func(begin string) bool { return strings.HasPrefix(name, begin) }):
			kept = append(kept, variable)
		}
	}
	return kept
}

// UnconfinedEnviron returns environ for a command that is not confined. It omits BASH_ENV if that
// names a script in one of the folders inside. A confined command may have created the script,
// which the shell would run.
func UnconfinedEnviron(environ []string, inside ...string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(variable string) bool {
		script, ok := strings.CutPrefix(variable, "BASH_ENV=")
		return ok && (!filepath.IsAbs(script) || IsInside(script, inside))
	})
}

// Variable returns the value of a variable in an environment. If the variable is set twice, the
// last value applies.
func Variable(environ []string, name string) string {
	for _, variable := range slices.Backward(environ) {
		if value, ok := strings.CutPrefix(variable, name+"="); ok {
			return value
		}
	}
	return ""
}

// WithSafePath returns environ with a PATH that omits the folders inside.
func WithSafePath(environ []string, inside ...string) []string {
	safe := slices.Clone(environ)
	for i, variable := range safe {
		if path, ok := strings.CutPrefix(variable, "PATH="); ok {
			safe[i] = "PATH=" + SafePath(path, inside...)
		}
	}
	return safe
}

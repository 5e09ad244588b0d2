package sandbox

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/pattern"
)

// secretive are parts of the names of variables that hold secrets, secretWords are
// words of such names, between underscores, and reaching the names of those that lead to services which
// act for the user.
var (
	secretive   = []string{"KEY", "SECRET", "TOKEN", "PASSWORD", "PASSWD", "PASSPHRASE", "PGPASS", "CREDENTIAL", "DATABASE_URL", "CONNECTION_STRING"}
	secretWords = []string{"PASS", "PWD", "PAT", "AUTH", "JWT", "BEARER", "COOKIE", "COOKIES", "DSN", "APIKEY", "PIN", "OTP"}
	reaching    = []string{"SSH_AUTH_SOCK", "SSH_AGENT_PID", "GPG_AGENT_INFO", "DBUS_SESSION_BUS_ADDRESS", "DBUS_SYSTEM_BUS_ADDRESS"}
)

// secretValue is what keys and passwords look like, whatever the variable is called: a
// password in an address, the keys of well-known services, signed tokens, private keys.
var secretValue = pattern.New(`://[^/?#\s:@]*:[^/?#\s@]+@|-----BEGIN [A-Z ]*PRIVATE KEY|` +
	`(?:^|[^A-Za-z0-9])(?:gh[pousr]_|github_pat_|glpat-|sk-|gsk_|xai-|nvapi-|hf_|npm_|pypi-|xox[abeoprs]-|dop_v1_|AIza|AKIA|ASIA|SG\.|rk_live_|sk_live_)[A-Za-z0-9_\-.]{16,}|` +
	`(?:^|[^A-Za-z0-9])eyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{4,}`)

// Environ returns the variables that commands may see: environ without those that hold a
// secret by their name or their value, or lead to a service that has some, except for
// the names in allowed.
func Environ(environ, allowed []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(variable string) bool {
		name, value, _ := strings.Cut(variable, "=")
		return !slices.Contains(allowed, name) && (isSecretName(strings.ToUpper(name)) || secretValue.MatchString(value))
	})
}

// isSecretName reports whether a variable of this name, in upper case, holds a secret.
func isSecretName(name string) bool {
	if name == "PWD" {
		return false
	}
	return slices.Contains(reaching, name) ||
		slices.ContainsFunc(secretive, func(part string) bool { return strings.Contains(name, part) }) ||
		slices.ContainsFunc(strings.Split(name, "_"), func(word string) bool { return slices.Contains(secretWords, word) })
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

// environ is the environment of a confined command.
func (p Policy) environ(environ []string) []string {
	set := map[string]string{}
	if p.Temp != "" {
		set["TMPDIR"] = p.Temp
	}
	if p.Profile == Work && p.Caches != "" {
		for name, folder := range caches {
			set[name] = filepath.Join(p.Caches, folder)
		}
	}
	kept := slices.DeleteFunc(slices.Clone(environ), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		_, replaced := set[name]
		return replaced
	})
	for _, name := range slices.Sorted(maps.Keys(set)) {
		kept = append(kept, name+"="+set[name])
	}
	return kept
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
		return ok && (!filepath.IsAbs(script) || isInside(script, inside))
	})
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

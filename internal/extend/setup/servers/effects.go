package servers

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"agent/internal/extend/setup/manifest"
)

// Effects lists everything that determines which program the server runs and which data is sent, as
// written.
func (s *Server) Effects() manifest.List {
	var all manifest.List
	add := func(role manifest.Role, name, key string, texts ...string) {
		for _, text := range texts {
			if text != "" || role == manifest.RoleWord || role == manifest.RoleValue || name == "header" {
				all = append(all, manifest.Part{Name: name, Key: key, Text: text, Role: role, Means: withDefaults(text)})
			}
		}
	}
	if s.Transport != Stdio || s.URL != "" {
		add(manifest.RolePlain, manifest.Type, "", string(s.Transport))
		add(manifest.RolePlain, manifest.Address, "", s.URL)
	}
	if s.Command != "" {
		add(manifest.RoleWord, manifest.Command, "", s.Command)
		add(manifest.RoleWord, manifest.Argument, "", s.Args...)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		add(manifest.RoleValue, "env", name, s.Env[name])
	}
	if s.Command != "" {
		add(manifest.RoleFolder, "cwd", "", s.Cwd)
		if s.Sandbox != Sandboxed {
			all = append(all, manifest.Part{Name: "outside the sandbox"})
		}
	}
	add(manifest.RolePlain, manifest.Variable, "", s.EnvVars...)
	for _, name := range slices.Sorted(maps.Keys(s.Headers)) {
		add(manifest.RolePlain, "header", name, s.Headers[name])
	}
	add(manifest.RolePlain, "oauth client", "", s.OAuth.ClientID)
	add(manifest.RolePlain, manifest.Variable, "oauth secret", s.OAuth.ClientSecretEnv)
	add(manifest.RolePlain, "oauth scope", "", s.OAuth.Scopes...)
	if s.OAuth.CallbackPort != 0 {
		add(manifest.RolePlain, "oauth port", "", strconv.Itoa(s.OAuth.CallbackPort))
	}
	if s.StartTimeout != 0 {
		add(manifest.RolePlain, "startup timeout", "", s.StartTimeout.String())
	}
	if s.Timeout != 0 {
		add(manifest.RolePlain, "timeout", "", s.Timeout.String())
	}
	add(manifest.RolePlain, "tool", "", s.Only...)
	add(manifest.RolePlain, "without tool", "", s.Except...)
	if s.AlwaysLoad {
		all = append(all, manifest.Part{Name: "always loaded"})
	}
	return all
}

// withDefaults replaces the variables in a text by their defaults. A variable without a default, or
// one of the usual variables, becomes a name that no shell uses, because only the user knows its
// value.
func withDefaults(text string) string {
	return rewriteText(text, strings.Clone, func(name, otherwise string, fallback bool) string {
		if fallback && !isUsual(name) {
			return otherwise
		}
		return "${" + name + "__OF_THE_PERSON}"
	})
}

package servers

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"agent/internal/setup/effect"
)

// Effects lists everything that decides which program the server runs and which data is sent, as
// written.
func (s *Server) Effects() effect.List {
	var all effect.List
	add := func(role effect.Role, name, key string, texts ...string) {
		for _, text := range texts {
			if text != "" || role == effect.Word || role == effect.Value || name == "header" {
				all = append(all, effect.Part{Name: name, Key: key, Text: text, Role: role, Means: withDefaults(text)})
			}
		}
	}
	if s.Transport != Stdio || s.URL != "" {
		add(effect.Plain, effect.Type, "", string(s.Transport))
		add(effect.Plain, effect.Address, "", s.URL)
	}
	if s.Command != "" {
		add(effect.Word, effect.Command, "", s.Command)
		add(effect.Word, effect.Argument, "", s.Args...)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		add(effect.Value, "env", name, s.Env[name])
	}
	if s.Command != "" {
		add(effect.Folder, "cwd", "", s.Cwd)
		if s.Sandbox != Sandboxed {
			all = append(all, effect.Part{Name: "outside the sandbox"})
		}
	}
	add(effect.Plain, effect.Variable, "", s.EnvVars...)
	for _, name := range slices.Sorted(maps.Keys(s.Headers)) {
		add(effect.Plain, "header", name, s.Headers[name])
	}
	add(effect.Plain, "oauth client", "", s.OAuth.ClientID)
	add(effect.Plain, effect.Variable, "oauth secret", s.OAuth.ClientSecretEnv)
	add(effect.Plain, "oauth scope", "", s.OAuth.Scopes...)
	if s.OAuth.CallbackPort != 0 {
		add(effect.Plain, "oauth port", "", strconv.Itoa(s.OAuth.CallbackPort))
	}
	if s.StartTimeout != 0 {
		add(effect.Plain, "startup timeout", "", s.StartTimeout.String())
	}
	if s.Timeout != 0 {
		add(effect.Plain, "timeout", "", s.Timeout.String())
	}
	add(effect.Plain, "tool", "", s.Only...)
	add(effect.Plain, "without tool", "", s.Except...)
	if s.AlwaysLoad {
		all = append(all, effect.Part{Name: "always loaded"})
	}
	return all
}

// withDefaults replaces the variables of a text by their defaults. A variable without a default, or
// one that is usual, gets a name that no shell has, because only the person knows its value.
func withDefaults(text string) string {
	return rewriteText(text, strings.Clone, func(name, otherwise string, fallback bool) string {
		if fallback && !isUsual(name) {
			return otherwise
		}
		return "${" + name + "__OF_THE_PERSON}"
	})
}

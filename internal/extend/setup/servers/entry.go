package servers

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"agent/internal/base/rawjson"
)

// aliases maps the field names of other coding agents to ours. Times are in milliseconds, except
// for names that end in _sec.
var aliases = map[string]string{
	"transport": "type", "environment": "env", "envVars": "env_vars", "httpUrl": "url", "serverUrl": "url", "http_headers": "headers",
	"startup_timeout_ms": "startup_timeout", "startupTimeout": "startup_timeout", "startup_timeout_sec": "startup_timeout",
	"timeout_ms": "timeout", "timeout_sec": "timeout", "tool_timeout_sec": "timeout",
	"includeTools": "enabledTools", "enabled_tools": "enabledTools", "include_tools": "enabledTools",
	"excludeTools": "disabledTools", "disabled_tools": "disabledTools", "exclude_tools": "disabledTools",
	"always_load": "alwaysLoad", "trust_hints": "trustHints",
	"client_id": "clientId", "client_secret_env": "clientSecretEnv", "callback_port": "callbackPort",
}

// rawFields holds the fields of an entry that have another form in Server.
type rawFields struct {
	kind                  string
	command               commandLine
	args                  []string
	startTimeout, timeout float64
	enabled               bool
	oauth                 map[string]json.RawMessage
}

// commandLine is a command, or a list of a command and its arguments.
type commandLine []string

// UnmarshalJSON implements json.Unmarshaler.
func (c *commandLine) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, (*[]string)(c)) == nil {
		return nil
	}
	*c = make([]string, 1)
	return json.Unmarshal(data, &(*c)[0])
}

// fields maps the documented field names to their destinations.
func fields(s *Server, w *rawFields) map[string]any {
	return map[string]any{
		"type": &w.kind, "command": &w.command, "args": &w.args, "env": &s.Env, "env_vars": &s.EnvVars, "cwd": &s.Cwd,
		"url": &s.URL, "headers": &s.Headers, "oauth": &w.oauth, "startup_timeout": &w.startTimeout, "timeout": &w.timeout,
		"enabledTools": &s.Only, "disabledTools": &s.Except, "allow": &s.Allow, "alwaysLoad": &s.AlwaysLoad,
		"disabled": &s.Disabled, "enabled": &w.enabled, "trustHints": &s.TrustHints, "sandbox": &s.Sandbox,
	}
}

// CanonicalField returns our name for a field of any coding agent, or "" for an unknown field.
func CanonicalField(name string) string {
	ours := cmp.Or(aliases[name], name)
	if _, known := fields(&Server{}, &rawFields{})[ours]; !known {
		return ""
	}
	return ours
}

// fieldNames returns the documented field names. Shorter names are first, because they are the more
// likely suggestions.
func fieldNames() []string {
	return slices.SortedFunc(maps.Keys(fields(&Server{}, &rawFields{})), func(a, b string) int {
		return cmp.Or(len(a)-len(b), strings.Compare(a, b))
	})
}

// parse parses one server. unknown lists the names of unknown fields.
func parse(name string, raw json.RawMessage) (s *Server, unknown []string, err error) {
	var given map[string]json.RawMessage
	if json.Unmarshal(raw, &given) != nil || given == nil {
		return nil, nil, errors.New("it must be an object")
	}
	s = &Server{Name: name, Sandbox: "off"}
	if s.Fields, err = canonical(raw); err != nil {
		return nil, nil, err
	}
	w := rawFields{enabled: true}
	if unknown, err = decodeFields(given, fields(s, &w)); err != nil {
		return s, unknown, err
	}
	if len(w.command) > 0 {
		s.Command, w.command = w.command[0], w.command[1:]
	}
	s.Args = slices.Concat([]string(w.command), w.args)
	s.Disabled = s.Disabled || !w.enabled
	if w.startTimeout < 0 || w.timeout < 0 {
		return s, unknown, errors.New("a timeout must not be negative")
	}
	s.StartTimeout, s.Timeout = duration(w.startTimeout), duration(w.timeout)
	if _, err := decodeFields(w.oauth, map[string]any{
		"clientId": &s.OAuth.ClientID, "clientSecretEnv": &s.OAuth.ClientSecretEnv, "scopes": &s.OAuth.Scopes, "callbackPort": &s.OAuth.CallbackPort,
	}); err != nil {
		return s, unknown, fmt.Errorf("oauth: %w", err)
	}
	return s, unknown, s.check(w.kind)
}

// decodeFields decodes the fields of an object and returns the names of unknown fields. A field may
// have our name or a name of another coding agent. If both exist, ours takes precedence.
func decodeFields(given map[string]json.RawMessage, into map[string]any) (unknown []string, err error) {
	for _, name := range slices.Sorted(maps.Keys(given)) {
		ours := cmp.Or(aliases[name], name)
		field, known := into[ours]
		if _, again := given[ours]; again && name != ours || name == "description" || strings.HasPrefix(name, "$") || strings.HasPrefix(name, "_") {
			continue
		}
		if !known {
			unknown = append(unknown, name)
			continue
		}
		if json.Unmarshal(given[name], field) != nil {
			return unknown, fmt.Errorf("%s must be %s", name, typeName(field))
		}
		if strings.HasSuffix(name, "_sec") {
			*field.(*float64) *= 1000
		}
	}
	return unknown, nil
}

// typeName describes the type of a field to a user.
func typeName(into any) string {
	switch into.(type) {
	case *string, *commandLine:
		return "a string"
	case *bool:
		return "true or false"
	case *[]string:
		return "a list of strings"
	case *map[string]string:
		return "an object with string values"
	case *float64, *int:
		return "a number"
	}
	return "an object"
}

// duration converts milliseconds to a duration within limits.
func duration(milliseconds float64) time.Duration {
	const most = 24 * time.Hour
	return time.Duration(min(milliseconds*float64(time.Millisecond), float64(most)))
}

// check sets the transport, and returns an error for an entry that cannot work.
func (s *Server) check(kind string) error {
	switch kind {
	case "":
		if s.Transport = HTTP; s.Command != "" {
			s.Transport = Stdio
		}
	case "stdio", "local":
		s.Transport = Stdio
	case "http", "streamable-http", "streamableHttp", "remote":
		s.Transport = HTTP
	case "sse":
		s.Transport = SSE
	default:
		return fmt.Errorf("type %q is not known; use stdio, http or sse", kind)
	}
	switch {
	case s.Command == "" && s.URL == "":
		return fmt.Errorf("it has neither a command nor a url")
	case s.Transport == Stdio && s.Command == "":
		return fmt.Errorf("type stdio needs a command")
	case s.Transport != Stdio && s.URL == "":
		return fmt.Errorf("type %s needs a url", kind)
	case s.Sandbox != Sandboxed && s.Sandbox != "off":
		return fmt.Errorf("sandbox %q is not known; use work or off", s.Sandbox)
	}
	return nil
}

// canonical returns JSON with sorted members and without spaces.
func canonical(raw json.RawMessage) ([]byte, error) {
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		return nil, err
	}
	return rawjson.Marshal(value)
}

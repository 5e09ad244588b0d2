package servers

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"agent/internal/rawjson"
)

// entry reads the fields of a server under all the names that agents use for them.
type entry struct {
	fields map[string]json.RawMessage
	read   map[string]bool
	err    error
}

// field decodes the first of some names that is there.
func (e *entry) field(into any, names ...string) (found bool) {
	for _, name := range names {
		raw, ok := e.fields[name]
		if !ok {
			continue
		}
		e.read[name] = true
		if found {
			continue
		}
		if found = true; string(raw) == "null" {
			continue
		}
		if err := json.Unmarshal(raw, into); err != nil && e.err == nil {
			e.err = fmt.Errorf("%s must be %s", name, wanted(into))
		}
	}
	return found
}

// wanted says what a field must be.
func wanted(into any) string {
	switch into.(type) {
	case *string:
		return "a text"
	case *bool:
		return "true or false"
	case *[]string:
		return "a list of texts"
	case *map[string]string:
		return "an object of texts"
	case *float64, *int:
		return "a number"
	}
	return "an object"
}

// duration reads a time in milliseconds, or in seconds by another name.
func (e *entry) duration(milliseconds, seconds []string) time.Duration {
	var n float64
	unit := time.Millisecond
	if !e.field(&n, milliseconds...) {
		unit = time.Second
	}
	e.field(&n, seconds...)
	if n < 0 && e.err == nil {
		e.err = fmt.Errorf("%s must not be negative", milliseconds[0])
	}
	const most = 24 * time.Hour
	return min(time.Duration(n*float64(unit)), most)
}

// parse reads one server; unknown are fields that nothing here is done with.
func parse(name string, raw json.RawMessage) (s *Server, unknown []string, err error) {
	e := &entry{read: map[string]bool{}}
	if json.Unmarshal(raw, &e.fields) != nil || e.fields == nil {
		return nil, nil, fmt.Errorf("it must be an object")
	}
	s = &Server{Name: name, Sandbox: "off"}
	if s.Fields, err = canonical(raw); err != nil {
		return nil, nil, err
	}
	var kind string
	e.field(&kind, "type", "transport")
	e.program(s)
	e.field(&s.URL, "url", "httpUrl", "serverUrl")
	e.field(&s.Headers, "headers", "http_headers")
	s.StartTimeout = e.duration([]string{"startup_timeout", "startup_timeout_ms", "startupTimeout"}, []string{"startup_timeout_sec"})
	s.Timeout = e.duration([]string{"timeout", "timeout_ms"}, []string{"tool_timeout_sec", "timeout_sec"})
	e.field(&s.Only, "enabledTools", "includeTools", "enabled_tools", "include_tools")
	e.field(&s.Except, "disabledTools", "excludeTools", "disabled_tools", "exclude_tools")
	e.field(&s.Allow, "allow")
	e.field(&s.AlwaysLoad, "alwaysLoad", "always_load")
	enabled := true
	e.field(&s.Disabled, "disabled")
	e.field(&enabled, "enabled")
	s.Disabled = s.Disabled || !enabled
	e.field(&s.TrustHints, "trustHints", "trust_hints")
	e.field(&s.Sandbox, "sandbox")
	s.OAuth = e.oauth()
	if e.err == nil {
		e.err = s.check(kind)
	}
	return s, e.unknown(), e.err
}

// program reads how a program is started. A command may be a list that holds its
// arguments too.
func (e *entry) program(s *Server) {
	var list []string
	if json.Unmarshal(e.fields["command"], &list) == nil && len(list) > 0 {
		e.read["command"] = true
		s.Command, s.Args = list[0], list[1:]
	} else {
		e.field(&s.Command, "command")
	}
	var more []string
	e.field(&more, "args")
	s.Args = append(s.Args, more...)
	e.field(&s.Env, "env", "environment")
	e.field(&s.EnvVars, "env_vars", "envVars")
	e.field(&s.Cwd, "cwd")
}

func (e *entry) oauth() OAuth {
	inner := entry{read: map[string]bool{}}
	if !e.field(&inner.fields, "oauth") {
		return OAuth{}
	}
	var o OAuth
	inner.field(&o.ClientID, "clientId", "client_id")
	inner.field(&o.ClientSecretEnv, "clientSecretEnv", "client_secret_env")
	inner.field(&o.Scopes, "scopes")
	inner.field(&o.CallbackPort, "callbackPort", "callback_port")
	if e.err == nil && inner.err != nil {
		e.err = fmt.Errorf("oauth: %w", inner.err)
	}
	return o
}

func (e *entry) unknown() []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(e.fields)) {
		if !e.read[name] && name != "description" && !strings.HasPrefix(name, "$") && !strings.HasPrefix(name, "_") {
			names = append(names, name)
		}
	}
	return names
}

// check settles the transport and refuses what cannot work.
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

// canonical is JSON with sorted members and without spaces.
func canonical(raw json.RawMessage) ([]byte, error) {
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		return nil, err
	}
	return rawjson.Marshal(value)
}

package imports

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"agent/internal/base/lazyregexp"
	"agent/internal/base/rawjson"
	"agent/internal/base/secret"
	"agent/internal/extend/setup/servers"
)

// dialect describes the syntax of a coding agent for servers.
type dialect struct {
	// dollar is set if "$NAME" is a variable.
	dollar bool
	// seconds is set if timeout is in seconds.
	seconds bool
	// urlIsSSE is set if a url without a type means the transport SSE.
	urlIsSSE bool
	// literal is set if "${NAME}" is plain text.
	literal bool
}

// consents lists fields that allow calls without approval. The user must allow these calls here
// again.
var consents = []string{"trust", "autoApprove", "alwaysAllow", "allow", "trustHints", "default_tools_approval_mode"}

// serversOf plans the import of the servers of a file.
func (p *planner) serversOf(s origin, from string, own bool, raw json.RawMessage) {
	var entries map[string]json.RawMessage
	if json.Unmarshal(raw, &entries) != nil {
		p.skip(KindServers, "all", from, "its servers must be an object")
		return
	}
	to := servers.ProjectFile(p.where.Workspace)
	if own {
		to = servers.UserFile(p.where.Config)
	}
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		p.server(s, Change{Kind: KindServers, Name: name, From: from, To: to}, entries[name])
	}
}

func (p *planner) server(s origin, c Change, raw json.RawMessage) {
	name := fitting(c.Name)
	if name != c.Name {
		c.Lost = append(c.Lost, "it is named "+name+" here")
	}
	t := translation{dialect: s.dialect, entry: map[string]any{}}
	entry, err := t.translate(raw)
	if err == nil {
		err = servers.Check(name, entry)
	}
	c.Lost = append(c.Lost, t.lost...)
	there, taken := p.has[c.To][name]
	switch {
	case err != nil:
		c.State, c.To, c.Lost = StateSkipped, "", []string{err.Error()}
	case taken && there == string(entry):
		c.State = StateExisting
	case taken:
		c.State, c.Lost = StateNameTaken, []string{"your server is kept. To replace it, import again after you run: agent mcp remove " + name}
	default:
		c.State = StateNew
		p.has[c.To][name] = string(entry)
		if p.servers[c.To] == nil {
			p.servers[c.To] = map[string]json.RawMessage{}
		}
		p.servers[c.To][name] = entry
	}
	p.add(c)
}

// These patterns match characters that are not allowed in a server's name.
var (
	unfit  = lazyregexp.New(`[^A-Za-z0-9_-]+`)
	double = lazyregexp.New(`_{2,}`)
)

// fitting returns a name without the characters that are not allowed in a server's name.
func fitting(name string) string {
	name = double.ReplaceAllString(unfit.ReplaceAllString(name, "-"), "_")
	return strings.Trim(name[:min(len(name), 32)], "-")
}

// translation translates an entry of another coding agent to an entry of ours.
type translation struct {
	dialect
	entry map[string]any
	lost  []string
}

// lose records a loss, or a step that the user must do, once.
func (t *translation) lose(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(t.lost, text) {
		t.lost = append(t.lost, text)
	}
}

// translate returns the translated entry as canonical JSON.
func (t *translation) translate(raw json.RawMessage) (json.RawMessage, error) {
	var given map[string]any
	if json.Unmarshal(raw, &given) != nil || given == nil {
		return nil, fmt.Errorf("it must be an object")
	}
	if url := given["httpUrl"]; url != nil {
		delete(given, "url") // if both are set, gemini uses httpUrl
	} else if given["url"] != nil && given["type"] == nil && t.urlIsSSE {
		t.entry["type"] = "sse"
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		t.field(name, given[name])
	}
	t.keys()
	return rawjson.Marshal(t.entry)
}

func (t *translation) field(name string, value any) {
	seconds, isNumber := value.(float64)
	switch ours := servers.CanonicalField(name); {
	case value == nil || name == "description":
	case slices.Contains(consents, name), slices.Contains(consents, ours):
		t.lose("%s is not imported: calls of this server require approval", name)
	case name == "enabled" && value == false:
		t.entry["disabled"] = true
	case name == "enabled" && value == true:
	case name == "bearer_token_env_var":
		t.header("Authorization", "Bearer ", value)
	case name == "env_http_headers":
		headers, _ := value.(map[string]any)
		for _, header := range slices.Sorted(maps.Keys(headers)) {
			t.header(header, "", headers[header])
		}
	case ours == "" || ours == "sandbox":
		t.lose("%s is unknown", name)
	case isNumber && (strings.HasSuffix(name, "_sec") || name == "timeout" && t.seconds):
		t.entry[ours] = seconds * 1000
	case ours == "oauth":
		t.entry[ours] = t.withoutSecret(value)
	case ours == "headers":
		headers, _ := value.(map[string]any)
		for header, text := range headers {
			t.setHeader(header, t.variables(name, text))
		}
	default:
		t.entry[ours] = t.variables(name, value)
	}
}

// withoutSecret returns the oauth field without the client secret.
func (t *translation) withoutSecret(value any) any {
	fields, _ := value.(map[string]any)
	for _, name := range []string{"clientSecret", "client_secret"} {
		if _, has := fields[name]; has {
			delete(fields, name)
			t.lose("%s of oauth is not imported: put it into an environment variable and set clientSecretEnv to the name of the variable", name)
		}
	}
	return t.variables("oauth", value)
}

// variableName matches the name of a variable of the environment.
var variableName = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*$`)

// header sets a header to the text before, followed by a reference to a variable.
func (t *translation) header(name, before string, variable any) {
	if text, _ := variable.(string); variableName.MatchString(text) {
		t.setHeader(name, before+"${"+text+"}")
		return
	}
	t.lose("%s is not the name of an environment variable", name)
}

func (t *translation) setHeader(name string, value any) {
	headers, ok := t.entry["headers"].(map[string]any)
	if !ok {
		headers = map[string]any{}
		t.entry["headers"] = headers
	}
	headers[name] = value
}

// keys records secrets that the translated entry contains as plain text.
func (t *translation) keys() {
	for _, field := range []string{"env", "headers"} {
		values, _ := t.entry[field].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(values)) {
			text, _ := values[name].(string)
			if (secret.IsSecretName(name) || secret.Contains(text)) && !strings.Contains(text, "${") && text != "" {
				t.lose("the value of %s is stored as plain text. Use ${VAR} to keep it out of the file", name)
			}
		}
	}
}

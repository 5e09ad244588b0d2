package hooks

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"agent/internal/base/rawjson"
	"agent/internal/extend/setup/permissions"
)

// longest is the greatest timeout of a hook.
const longest = 24 * time.Hour

// parser parses one file. It omits invalid parts and reports them.
type parser struct {
	into          *Listing
	file, project string
	// reported holds the unknown types of hooks that were already reported.
	reported map[string]bool
}

// group is a list of hooks that share a matcher.
type group struct {
	Matcher string            `json:"matcher"`
	Hooks   []json.RawMessage `json:"hooks"`
}

// hookJSON is the JSON form of a hook in a file.
type hookJSON struct {
	Type      string   `json:"type"`
	Command   string   `json:"command"`
	Args      []string `json:"args"`
	Timeout   float64  `json:"timeout"`
	If        string   `json:"if"`
	Async     bool     `json:"async"`
	Rewake    bool     `json:"asyncRewake"`
	Once      bool     `json:"once"`
	OnFailure string   `json:"onFailure"`
	Shell     string   `json:"shell"`
}

// Parse parses the hooks in the text of the user's own file.
func Parse(file string, data []byte) Listing {
	var f Listing
	f.parse(file, "", data)
	return f
}

func (f *Listing) parse(file, project string, data []byte) {
	p := parser{into: f, file: file, project: project, reported: map[string]bool{}}
	p.parse(data)
}

func (p *parser) parse(data []byte) {
	var file struct {
		Hooks map[string]json.RawMessage `json:"hooks"`
		Off   bool                       `json:"disableAllHooks"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		p.into.leave("the hooks of %s: %s", p.file, problem(data, err))
		return
	}
	if file.Off && len(file.Hooks) > 0 {
		p.into.leave("the hooks of %s: the file sets disableAllHooks", p.file)
		return
	}
	for _, event := range Events() {
		if raw := file.Hooks[string(event)]; raw != nil {
			p.event(event, raw)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(file.Hooks)) {
		if !slices.Contains(Events(), Event(name)) {
			p.into.leave("the hooks of %s for %s: unknown event", p.file, name)
		}
	}
}

func (p *parser) event(event Event, raw json.RawMessage) {
	var groups []json.RawMessage
	if err := json.Unmarshal(raw, &groups); err != nil {
		p.leave(event, "the value of the event must be a list")
		return
	}
	for _, raw := range groups {
		var g group
		if err := json.Unmarshal(raw, &g); err != nil {
			p.leave(event, "%s", problem(raw, err))
			continue
		}
		matches, err := matcher(g.Matcher)
		if err != nil {
			p.leave(event, "the matcher %q does not compile: %v", g.Matcher, err)
			continue
		}
		for _, raw := range g.Hooks {
			hook := Hook{Event: event, Matcher: g.Matcher, File: p.file, Project: p.project, Raw: raw, matches: matches}
			switch err := p.hook(&hook); {
			case errors.Is(err, errReported):
			case err != nil:
				p.leave(event, "%v", err)
			default:
				p.into.Hooks = append(p.into.Hooks, hook)
			}
		}
	}
}

// errReported is the error for a hook whose unknown type was already reported.
var errReported = errors.New("it appears twice")

// hook sets the fields of a hook from its JSON. It returns an error if the hook cannot be used.
func (p *parser) hook(h *Hook) error {
	var w hookJSON
	if err := json.Unmarshal(h.Raw, &w); err != nil {
		return errors.New(problem(h.Raw, err))
	}
	if w.Type != "command" {
		if p.reported[w.Type] {
			return errReported
		}
		p.reported[w.Type] = true
		return fmt.Errorf("hook type %q is not supported; use command", w.Type)
	}
	switch {
	case strings.TrimSpace(w.Command) == "":
		return errors.New("it has no command")
	case strings.ContainsRune(w.Command+strings.Join(w.Args, ""), 0):
		return errors.New("its command contains a zero byte")
	case w.Timeout < 0 || w.Timeout > longest.Seconds():
		return fmt.Errorf("its timeout must be between 0 and %d seconds", int(longest.Seconds()))
	case w.Shell != "" && w.Shell != "bash":
		return fmt.Errorf("shell %q is not supported; use bash", w.Shell)
	case w.OnFailure != "" && w.OnFailure != "block" && w.OnFailure != "continue":
		return fmt.Errorf("its onFailure is %q (valid: block, continue)", w.OnFailure)
	case w.OnFailure == "block" && (w.Async || w.Rewake):
		return errors.New("an async hook can't have onFailure \"block\"")
	case w.If != "" && !h.Event.IsToolEvent():
		return errors.New("\"if\" is supported only for events of tool calls")
	}
	if w.If != "" {
		if _, err := permissions.ParseCondition(w.If, "/", "/"); err != nil {
			return fmt.Errorf("its condition \"if\" (%s) is not valid: %w", w.If, err)
		}
	}
	h.Command, h.Args, h.If = w.Command, w.Args, w.If
	h.Timeout = time.Duration(w.Timeout * float64(time.Second))
	h.Async, h.Once, h.Blocks = w.Async || w.Rewake, w.Once, w.OnFailure == "block"
	return nil
}

func (p *parser) leave(event Event, format string, args ...any) {
	p.into.leave("a %s hook of %s: %s", event, p.file, fmt.Sprintf(format, args...))
}

// problem describes an error in JSON and its position.
func problem(data []byte, err error) string {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Sprintf("%v at %v", err, rawjson.PositionAt(data, int(syntax.Offset)))
	case errors.As(err, &kind) && kind.Field != "":
		return fmt.Sprintf("%s has the wrong type (%s)", kind.Field, kind.Value)
	case errors.As(err, &kind):
		return fmt.Sprintf("it has the wrong type (%s)", kind.Value)
	}
	return err.Error()
}

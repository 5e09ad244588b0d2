package imports

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/base/fsutil"
	"agent/internal/base/rawjson"
	"agent/internal/extend/setup/hooks"
	"agent/internal/extend/setup/jsonfile"

	"github.com/tailscale/hujson"
)

type hook struct {
	event    hooks.Event
	group    map[string]any
	identity string
}

// ownHooks reads the identities of the hooks in hooksFile.
func (p *planner) ownHooks() error {
	p.hasHooks = map[string]bool{}
	data, err := fsutil.ReadBeginning(p.hooksFile, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", p.hooksFile, fsutil.Reason(err))
	}
	if data, err = hujson.Standardize(data); err != nil {
		return fmt.Errorf("%s: it is not valid JSON: %w", p.hooksFile, err)
	}
	p.hasHooks = identities(p.hooksFile, data)
	return nil
}

// identities returns the identities of the hooks in a JSON text without comments.
func identities(file string, data []byte) map[string]bool {
	all := map[string]bool{}
	for _, h := range hooks.Parse(file, data).Hooks {
		all[identity(h)] = true
	}
	return all
}

// identity returns a text that is equal for two hooks if their events, matchers and fields are
// equal.
func identity(h hooks.Hook) string {
	var fields any
	_ = json.Unmarshal(h.Raw, &fields) // the JSON was parsed before
	text, _ := rawjson.Marshal([]any{h.Event, h.Matcher, fields})
	return string(text)
}

// hooksOf plans the import of the hooks in a file.
func (p *planner) hooksOf(from string, members map[string]json.RawMessage) {
	if members["hooks"] == nil {
		return
	}
	kept := map[string]json.RawMessage{"hooks": members["hooks"]}
	if off := members["disableAllHooks"]; off != nil {
		kept["disableAllHooks"] = off
	}
	data, err := rawjson.Marshal(kept)
	if err != nil {
		p.skip(KindHooks, "hooks", from, "they are not valid JSON")
		return
	}
	p.takeHooks(from, hooks.Parse(from, data))
}

// takeHooks plans the import of hooks. lost describes what is lost, which is the same for each
// hook.
func (p *planner) takeHooks(from string, found hooks.Listing, lost ...string) {
	for _, h := range found.Hooks {
		c := Change{Kind: KindHooks, Name: h.Name(), State: StateExisting, From: from, To: p.hooksFile, Lost: lost}
		if same := identity(h); p.wants(KindHooks) && !p.hasHooks[same] {
			c.State = StateNew
			p.hasHooks[same] = true
			group := map[string]any{"hooks": []json.RawMessage{h.Raw}}
			if h.Matcher != "" {
				group["matcher"] = h.Matcher
			}
			p.hooks = append(p.hooks, hook{h.Event, group, same})
		}
		p.add(c)
	}
	for _, why := range found.Skipped {
		p.skip(KindHooks, "hook", from, strings.ReplaceAll(why, " of "+from, ""))
	}
}

// geminiSettings plans the import of gemini's settings, except servers.
func (p *planner) geminiSettings(from string, members map[string]json.RawMessage) {
	if members["hooks"] != nil {
		p.skip(KindHooks, "hooks", from, "their events and answers differ; rewrite them in "+p.hooksFile)
	}
	p.membersOf(from, geminiMembers, members, "mcpServers", "hooks")
}

// opencodeSettings plans the import of opencode's settings, except servers.
func (p *planner) opencodeSettings(from string, members map[string]json.RawMessage) {
	p.membersOf(from, opencodeMembers, members, "mcp", p.agentsIn(from, members))
}

// otherSettings lists the settings of a coding agent that have no known equivalent.
func (p *planner) otherSettings(from string, members map[string]json.RawMessage) {
	p.membersOf(from, nil, members, "mcp")
}

// codexSettings plans the import of codex's settings, except servers.
func (p *planner) codexSettings(from string, members map[string]json.RawMessage) {
	p.hooksOf(from, members)
	p.notifier(from, members)
	p.membersOf(from, codexMembers, members, "mcp_servers", "hooks", "notify", p.providers(from, members), p.profiles(from, members))
}

// notifier plans to import the program that codex runs at the end of a turn as a hook.
func (p *planner) notifier(from string, members map[string]json.RawMessage) {
	if members["notify"] == nil {
		return
	}
	var command []string
	if json.Unmarshal(members["notify"], &command) != nil || len(command) == 0 {
		p.skip(KindHooks, "notify", from, "notify must be a list of strings")
		return
	}
	one := map[string]any{"type": "command", "command": command[0], "args": command[1:]}
	data, _ := rawjson.Marshal(map[string]any{"hooks": map[string]any{string(hooks.Notification): []any{map[string]any{"hooks": []any{one}}}}})
	p.takeHooks(from, hooks.Parse(from, data), "the command gets its JSON on standard input, in the format for hooks, not as an argument")
}

// writeHooks appends the hooks to hooksFile, except hooks that another import has added meanwhile.
func (p Plan) writeHooks() error {
	if len(p.hooks) == 0 {
		return nil
	}
	return jsonfile.Edit(jsonfile.File{Path: filepath.Clean(p.hooksFile)}, func(data []byte) ([]jsonfile.Step, error) {
		plain, err := hujson.Standardize(append([]byte(nil), data...))
		if err != nil {
			return nil, fmt.Errorf("it is not valid JSON: %w", err)
		}
		var has struct {
			Hooks map[string]json.RawMessage `json:"hooks"`
		}
		if err := json.Unmarshal(plain, &has); err != nil {
			return nil, errors.New("hooks must be an object")
		}
		there := identities(p.hooksFile, plain)
		missing := slices.DeleteFunc(slices.Clone(p.hooks), func(h hook) bool { return there[h.identity] })
		var steps []jsonfile.Step
		if has.Hooks == nil && len(missing) > 0 {
			steps = append(steps, jsonfile.Step{Op: "add", Path: "/hooks", Value: map[string]any{}})
		}
		events := map[hooks.Event]bool{}
		for _, h := range missing {
			list := "/hooks/" + string(h.event)
			if !events[h.event] && has.Hooks[string(h.event)] == nil {
				steps = append(steps, jsonfile.Step{Op: "add", Path: list, Value: []any{}})
			}
			events[h.event] = true
			steps = append(steps, jsonfile.Step{Op: "add", Path: list + "/-", Value: h.group})
		}
		return steps, nil
	})
}

package acp

import (
	"cmp"
	"encoding/json"
	"reflect"
	"slices"

	"agent/internal/base/humanize"
	"agent/internal/gate"
	"agent/internal/settings"
)

// option is a setting of a session that an editor shows as a choice.
type option struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Category string `json:"category"`
	// Current is the current value.
	Current string `json:"currentValue"`
	// Values lists the values to choose from.
	Values []optionValue `json:"options"`
	Type   string        `json:"type"`
}

type optionValue struct {
	Value string `json:"value"`
	Name  string `json:"name"`
}

// The ids of the options, which are also their categories.
const (
	optionMode   = "mode"
	optionModel  = "model"
	optionEffort = "thought_level"
)

// newOption returns an option with its values. If the current value is not among them, it is added with the
// name other.
func newOption(id, name, current string, values []string, other string) option {
	o := option{ID: id, Name: name, Category: id, Current: current, Type: "select"}
	if !slices.Contains(values, current) {
		o.Values = []optionValue{{current, humanize.Line(other, 0)}}
	}
	for _, value := range values {
		o.Values = append(o.Values, optionValue{value, humanize.Line(value, 0)})
	}
	return o
}

// newOptions returns the options of the session, and reports whether they have changed since they were last
// sent to the editor.
func (s *session) newOptions() (options []option, changed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.talk
	options = []option{newOption(optionMode, "Approval mode", string(c.Chat.Consent().Mode()), gate.ModeNames(), string(c.Chat.Consent().Mode()))}
	model := settings.Model.Value(c.Settings())
	if listed := c.Connection.ListedModels(); model != "" || len(listed) > 0 {
		options = append(options, newOption(optionModel, "Model", model, listed, cmp.Or(model, "none chosen")))
	}
	if efforts := c.Connection.ReasoningEfforts(model); len(efforts) > 0 {
		options = append(options, newOption(optionEffort, "Thinking", settings.ReasoningEffort.Value(c.Settings()), efforts, "default"))
	}
	changed = !reflect.DeepEqual(options, s.known)
	s.known = options
	return options, changed
}

// options returns the options of the session, for the answer to a request.
func (s *session) options() []option {
	options, _ := s.newOptions()
	return options
}

// optionsChanged sends the options to the editor if they have changed, because the endpoint has listed its
// models or a command has set one. When it returns, the editor has the current options, even if an event of
// the conversation noticed the change first.
func (s *session) optionsChanged() {
	s.telling.Lock()
	defer s.telling.Unlock()
	if options, changed := s.newOptions(); changed {
		s.show.send(update{"sessionUpdate": "config_option_update", "configOptions": options})
	}
}

// modes returns the approval modes for clients that do not support options.
func (s *session) modes() map[string]any {
	var modes []map[string]any
	for _, name := range gate.ModeNames() {
		modes = append(modes, map[string]any{"id": name, "name": name})
	}
	return map[string]any{"currentModeId": string(s.talk.Chat.Consent().Mode()), "availableModes": modes}
}

func (s *session) setOption(id, value string) error {
	key := map[string]string{optionMode: settings.ApprovalMode.Key(), optionModel: settings.Model.Key(), optionEffort: settings.ReasoningEffort.Key()}[id]
	if key == "" {
		return failf(codeParams, "unknown option %q", id)
	}
	if _, err := s.commands.RunArgs(s.ctx, "set", []string{key, value}); err != nil {
		return failf(codeParams, "%v", err)
	}
	return nil
}

// setMode sets the approval mode for clients that do not support options.
func (s *session) setMode(m message, p sessionParams) {
	err := s.setOption(optionMode, p.ModeID)
	s.server.answer(m)(nil, err)
	if err == nil {
		s.optionsChanged()
	}
}

// set changes an option and answers with all options.
func (s *session) set(m message, p sessionParams) {
	var value string
	if json.Unmarshal(p.Value, &value) != nil {
		s.server.answer(m)(nil, failf(codeParams, "invalid value: it must be a string, one of the option's values"))
		return
	}
	if err := s.setOption(p.ConfigID, value); err != nil {
		s.server.answer(m)(nil, err)
		return
	}
	s.server.answer(m)(map[string]any{"configOptions": s.options()}, nil)
	if p.ConfigID == optionMode {
		s.show.send(update{"sessionUpdate": "current_mode_update", "currentModeId": value})
	}
}

// listed returns the slash commands in the format of the protocol.
func (s *session) listed() []map[string]any {
	commands := []map[string]any{}
	for _, c := range s.commands.All() {
		one := map[string]any{"name": c.Name, "description": c.Help}
		if hint := c.Forms[0].Args; hint != "" {
			one["input"] = map[string]any{"hint": hint}
		}
		commands = append(commands, one)
	}
	return commands
}

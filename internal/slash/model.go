package slash

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"agent/internal/command"
	"agent/internal/nearest"
	"agent/internal/settings"
	"agent/internal/table"
	"agent/internal/words"
)

// models are those of the endpoint in use. What it offers is remembered, so that
// completion never waits for the network.
type models struct {
	ctx      context.Context
	ask      func(ctx context.Context) ([]Model, error)
	settings *settings.Settings
	profiles *settings.Store

	mu sync.Mutex
	// offered are those of the endpoint asked last; asked is false before that.
	asked   bool
	of      string
	offered []Model
}

func modelCommand(m *models) command.Command {
	return command.Command{
		Name: "model", Aliases: []string{"models"}, MaxArgs: 1,
		Usage: []command.Form{{Does: "choose from the models of the endpoint"}, {Args: "NAME", Does: "use that one from the next message on"}},
		Help:  "list the endpoint's models, or switch to one",
		Run: func(ctx context.Context, args []string) (command.Output, error) {
			models, err := m.fetch(ctx)
			if len(args) == 0 {
				if err != nil {
					return command.Output{}, fmt.Errorf("the endpoint does not list its models: %w; /model NAME switches all the same", err)
				}
				return command.Output{Lines: m.describe(models), Pick: m.pick(models)}, nil
			}
			out, switchErr := m.use(args[0], models)
			if err != nil && switchErr == nil {
				out.Lines = append(out.Lines, "The name is not checked: "+err.Error())
			}
			return out, switchErr
		},
		Complete: func([]string) []command.Completion { return m.complete() },
	}
}

// use sets the model for the session and remembers it. Models is what
// the endpoint offers, empty when it does not say.
func (m *models) use(name string, models []Model) (command.Output, error) {
	var ids []string
	for _, m := range models {
		ids = append(ids, m.ID)
	}
	if i := slices.IndexFunc(ids, func(id string) bool { return strings.EqualFold(id, name) }); i >= 0 {
		name = ids[i]
	} else if len(ids) > 0 {
		return command.Output{}, fmt.Errorf("the endpoint has no model %q%s (/model lists all, /set model %s uses it anyway)", name, nearest.Question(name, ids), command.Quote(name))
	}
	if err := m.settings.Set(settings.Session, settings.Model.Key(), name); err != nil {
		return command.Output{}, err
	}
	lines := []string{"model " + name + " from the next message on" + m.limitNote(name, models)}
	if err := m.profiles.RememberModel(name); err != nil {
		lines = append(lines, "It is not remembered: "+err.Error())
	}
	return command.Output{Lines: lines}, nil
}

// limitNote says which context window comes with a model.
func (m *models) limitNote(name string, models []Model) string {
	if limit, set := settings.ContextLimit.Get(m.settings); set {
		return fmt.Sprintf("; context-limit stays %s, as set", words.Tokens(limit))
	}
	for _, m := range models {
		if m.ID == name && m.ContextLimit > 0 {
			return ", context " + words.Tokens(m.ContextLimit)
		}
	}
	return ""
}

// describe lists what the endpoint offers, the model in use marked.
func (m *models) describe(models []Model) []string {
	if len(models) == 0 {
		return []string{"The endpoint lists no models; /model NAME switches all the same."}
	}
	var rows [][]string
	for _, one := range models {
		mark, limit := " ", ""
		if one.ID == settings.Model.Of(m.settings) {
			mark = "*"
		}
		if one.ContextLimit > 0 {
			limit = words.Tokens(one.ContextLimit)
		}
		rows = append(rows, []string{mark + " " + one.ID, limit})
	}
	return table.Lines("lr", rows)
}

// pick lists what the endpoint offers, the models chosen before first.
func (m *models) pick(models []Model) *command.Pick {
	var offered []command.Completion
	for _, proposal := range m.complete() {
		if slices.ContainsFunc(models, func(m Model) bool { return m.ID == proposal.Value }) {
			offered = append(offered, proposal)
		}
	}
	return command.PickOf("model", "/model", offered, settings.Model.Of(m.settings))
}

// complete proposes the models chosen before, then all that the endpoint
// is known to offer.
func (m *models) complete() []command.Completion {
	offered := m.known()
	recent, _ := m.profiles.RecentModels()
	var proposals []command.Completion
	for _, id := range recent {
		proposals = append(proposals, command.Completion{Value: id, Help: joined(aboutModel(id, offered), "used before")})
	}
	for _, m := range offered {
		if !slices.Contains(recent, m.ID) {
			proposals = append(proposals, command.Completion{Value: m.ID, Help: aboutModel(m.ID, offered)})
		}
	}
	return proposals
}

// aboutModel says how large the context of a model is, what a million tokens cost, and which
// efforts it takes, as far as that is known.
func aboutModel(id string, models []Model) string {
	i := slices.IndexFunc(models, func(m Model) bool { return m.ID == id })
	if i < 0 {
		return ""
	}
	m, window, prices, efforts := models[i], "", "", ""
	if m.ContextLimit > 0 {
		window = "context " + words.Tokens(m.ContextLimit)
	}
	if p := m.Prices; p != nil {
		prices = words.Dollars(p.Input) + " in, " + words.Dollars(p.Output) + " out"
	}
	if len(m.Efforts) > 0 {
		efforts = strings.Join(m.Efforts, "/")
	}
	return joined(window, prices, efforts)
}

// joined are the parts that say something.
func joined(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), ", ")
}

// modelsTimeout bounds how long an endpoint may take to list its models.
const modelsTimeout = 5 * time.Second

// known returns what is known of the endpoint in use, and asks it in the
// background when nobody has.
func (m *models) known() []Model {
	m.mu.Lock()
	defer m.mu.Unlock()
	endpoint := settings.BaseURL.Of(m.settings)
	if m.asked && m.of == endpoint {
		return slices.Clone(m.offered)
	}
	m.asked, m.of, m.offered = true, endpoint, nil
	go func() {
		// Nobody waits for this list; /model shows why there is none.
		_, _ = m.fetch(m.ctx)
	}()
	return nil
}

// fetch asks the endpoint in use.
func (m *models) fetch(ctx context.Context) ([]Model, error) {
	if m.ask == nil {
		return nil, errors.New("there is no endpoint to ask")
	}
	ctx, cancel := context.WithTimeout(ctx, modelsTimeout)
	defer cancel()
	endpoint := settings.BaseURL.Of(m.settings)
	models, err := m.ask(ctx)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked, m.of, m.offered = true, endpoint, models
	return slices.Clone(models), nil
}

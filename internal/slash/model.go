package slash

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"agent/internal/base/humanize"
	"agent/internal/base/suggest"
	"agent/internal/base/table"
	"agent/internal/command"
	"agent/internal/settings"
)

// models runs /model for the endpoint in use. It caches the model list of the endpoint, so that completion
// never waits for the network.
type models struct {
	Deps
	ctx context.Context

	mu sync.Mutex
	// asked is set after the model list was requested from an endpoint. of is the address of that endpoint,
	// and offered holds its models.
	asked   bool
	of      string
	offered []Model
}

func modelCommand(m *models) command.Command {
	return command.Command{
		Name: "model", Aliases: []string{"models"}, Help: "list models, or switch to one",
		Forms: []command.Form{
			{Does: "list the models of the endpoint and choose one", Run: m.choose},
			{Args: "NAME [EFFORT]", Does: "switch to model NAME, from the next message", Run: command.ShowLines(m.use), Complete: m.complete},
		},
	}
}

func (m *models) choose(ctx context.Context, _ []string) (command.Output, error) {
	models, err := m.fetch(ctx)
	if err != nil {
		return command.Output{}, fmt.Errorf("can't list the models of the endpoint: %w. To choose one by name, type /model NAME", err)
	}
	return command.Output{Lines: m.describe(models), Pick: m.pick(models)}, nil
}

// use sets the model of the session, and the reasoning effort if it is given. It stores the model for the
// next start.
func (m *models) use(ctx context.Context, args []string) ([]string, error) {
	models, unlisted := m.fetch(ctx)
	name, effort := args[0], strings.Join(args[1:], "")
	var ids []string
	for _, m := range models {
		ids = append(ids, m.ID)
	}
	if i := slices.IndexFunc(ids, func(id string) bool { return strings.EqualFold(id, name) }); i >= 0 {
		name = ids[i]
	} else if len(ids) > 0 {
		return nil, fmt.Errorf("the endpoint has no model %q%s To list the models, type /model. To use this name anyway, type /set model %s", name, cmp.Or(suggest.Question(name, ids), "."), command.Quote(name))
	}
	lines := []string{"model " + name + ", from the next message" + m.limitNote(name, models)}
	if lost := m.lostCache(ctx, named(name, models)); lost != "" {
		lines = append(lines, lost)
	}
	if effort != "" {
		if known := named(name, models).Efforts; len(known) > 0 && !slices.Contains(known, effort) {
			return nil, fmt.Errorf("%s has no reasoning effort %q. Use one of: %s", name, effort, strings.Join(known, ", "))
		}
		if err := m.Settings.Set(settings.LayerSession, settings.ReasoningEffort.Key(), effort); err != nil {
			return nil, err
		}
		lines[0] += ", effort " + effort
	}
	if err := m.Settings.Set(settings.LayerSession, settings.Model.Key(), name); err != nil {
		return nil, err
	}
	err := m.Profiles.RememberModel(name)
	if m.Choices.Model != nil && err == nil {
		err = m.Choices.Model(name)
	}
	if err != nil {
		lines = append(lines, "Can't save this choice for later sessions: "+err.Error())
	}
	if unlisted != nil {
		lines = append(lines, "Can't check that the endpoint has this model: "+unlisted.Error())
	}
	return lines, nil
}

// lostCache returns a warning that switching to another model loses the provider's cache of the
// conversation, because a cache belongs to one model. It returns "" if nothing is known to be cached.
func (m *models) lostCache(ctx context.Context, next Model) string {
	usage, err := m.Context.ContextUsage(ctx)
	if err != nil || next.ID == settings.Model.Value(m.Settings) || usage.Cached+usage.Written == 0 {
		return ""
	}
	text := "The cache of " + humanize.Tokens(usage.Prompt) + " tokens is lost; the next request sends them again"
	if next.Prices != nil && !next.Prices.Free {
		const million = 1e6
		text += ", for " + humanize.Dollars(float64(usage.Prompt)*next.Prices.Input/million)
	}
	return text + "."
}

// limitNote returns a text about the context window of a model, to be appended to a sentence.
func (m *models) limitNote(name string, models []Model) string {
	if limit, set := settings.ContextLimit.Get(m.Settings); set {
		return fmt.Sprintf("; context-limit stays %s (set by you)", humanize.Tokens(limit))
	}
	if limit := named(name, models).ContextLimit; limit > 0 {
		return ", context " + humanize.Tokens(limit)
	}
	return ""
}

// named returns the model with a name, or a Model with only its ID set if it is not in models.
func named(name string, models []Model) Model {
	for _, m := range models {
		if m.ID == name {
			return m
		}
	}
	return Model{ID: name}
}

// describe lists the models and marks the model in use.
func (m *models) describe(models []Model) []string {
	if len(models) == 0 {
		return []string{"The endpoint lists no models. To switch, type /model NAME."}
	}
	var rows [][]string
	for _, one := range models {
		mark, limit := " ", ""
		if one.ID == settings.Model.Value(m.Settings) {
			mark = "*"
		}
		if one.ContextLimit > 0 {
			limit = humanize.Tokens(one.ContextLimit)
		}
		rows = append(rows, []string{mark + " " + one.ID, limit, joined(one.prices(), strings.Join(one.Efforts, "/"))})
	}
	return table.Lines("lrl", rows)
}

// pick returns the list of models for a screen. The models that were chosen earlier come first. If the
// efforts of a model are known, the user can change its effort in the list.
func (m *models) pick(models []Model) *command.ChoiceList {
	var offered []command.Completion
	for _, proposal := range m.complete(nil) {
		if slices.ContainsFunc(models, func(m Model) bool { return m.ID == proposal.Value }) {
			offered = append(offered, proposal)
		}
	}
	title := "model"
	if m.Signature != nil {
		title = joined(title, m.Signature())
	}
	pick := command.NewChoiceList(title, "/model", offered, settings.Model.Value(m.Settings))
	for i, c := range pick.Choices {
		known := named(c.Name, models).Efforts
		if len(known) == 0 {
			continue
		}
		pick.Turns = "effort"
		now := slices.Index(known, settings.ReasoningEffort.Value(m.Settings))
		pick.Choices[i] = withEffort(c, known, now)
		if c.InUse && now >= 0 {
			pick.Choices[i].Help = joined("effort "+known[now], c.Help)
		}
	}
	return pick
}

// withEffort returns a list entry whose effort can be changed. at is the index of its current effort in
// known, or -1 for the vendor's default, which counts as the middle.
func withEffort(model command.Choice, known []string, at int) command.Choice {
	turned := model
	turned.Turn = func(by int) command.Choice {
		from := at
		if from < 0 {
			from = len(known) / 2
		}
		next := min(max(from+by, 0), len(known)-1)
		changed := withEffort(model, known, next)
		changed.Help = joined("effort "+known[next], model.Help)
		changed.Line += " " + known[next]
		return changed
	}
	return turned
}

// complete proposes the models that were chosen earlier, then the known models of the endpoint. After the
// name of a model it proposes the efforts.
func (m *models) complete(args []string) (proposals []command.Completion) {
	offered := m.knownModels()
	if len(args) > 0 {
		for _, effort := range named(args[0], offered).Efforts {
			proposals = append(proposals, command.Completion{Value: effort, Help: "reasoning effort"})
		}
		return proposals
	}
	recent, _ := m.Profiles.RecentModels()
	for _, id := range recent {
		proposals = append(proposals, command.Completion{Value: id, Help: joined(named(id, offered).about(), "used before")})
	}
	for _, m := range offered {
		if !slices.Contains(recent, m.ID) {
			proposals = append(proposals, command.Completion{Value: m.ID, Help: m.about()})
		}
	}
	return proposals
}

// about describes the known properties of a model: the context window, the price of a million tokens, and
// the efforts.
func (m Model) about() string {
	window := ""
	if m.ContextLimit > 0 {
		window = "context " + humanize.Tokens(m.ContextLimit)
	}
	return joined(window, m.prices(), strings.Join(m.Efforts, "/"))
}

// prices returns the prices of a million tokens, or "" if they are not known.
func (m Model) prices() string {
	switch {
	case m.Multiplier > 0:
		return strconv.FormatFloat(m.Multiplier, 'f', -1, 64) + "× premium requests"
	case m.Prices == nil, m.Prices.Free:
		return ""
	}
	return humanize.Dollars(m.Prices.Input) + " in, " + humanize.Dollars(m.Prices.Output) + " out"
}

func joined(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), ", ")
}

const modelsTimeout = 5 * time.Second

// knownModels returns the cached models of the endpoint in use. If there is no list yet, it requests the
// list in the background and returns nil.
func (m *models) knownModels() []Model {
	m.mu.Lock()
	defer m.mu.Unlock()
	endpoint := settings.BaseURL.Value(m.Settings)
	if m.asked && m.of == endpoint {
		return slices.Clone(m.offered)
	}
	m.asked, m.of, m.offered = true, endpoint, nil
	go func() {
		// No caller waits for this list; /model shows the error.
		_, _ = m.fetch(m.ctx)
	}()
	return nil
}

// fetch requests the models of the endpoint in use and caches them.
func (m *models) fetch(ctx context.Context) ([]Model, error) {
	ctx, cancel := context.WithTimeout(ctx, modelsTimeout)
	defer cancel()
	endpoint := settings.BaseURL.Value(m.Settings)
	models, err := m.Models(ctx)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked, m.of, m.offered = true, endpoint, models
	return slices.Clone(models), nil
}

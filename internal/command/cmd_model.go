package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"agent/internal/nearest"
	"agent/internal/settings"
	"agent/internal/table"
	"agent/internal/words"
)

func (c *Commands) modelCommand() Command {
	return Command{
		Name: "model", Aliases: []string{"models"}, MaxArgs: 1,
		Usage: []Form{{"", "choose from the models of the endpoint"}, {"NAME", "use that one from the next message on"}},
		Help:  "list the endpoint's models, or switch to one",
		Run: func(ctx context.Context, args []string) (Output, error) {
			models, err := c.models.fetch(ctx)
			if len(args) == 0 {
				if err != nil {
					return Output{}, fmt.Errorf("the endpoint does not list its models: %w; /model NAME switches all the same", err)
				}
				return Output{Lines: c.describeModels(models), Pick: c.pickModel(models)}, nil
			}
			out, switchErr := c.switchModel(args[0], models)
			if err != nil && switchErr == nil {
				out.Lines = append(out.Lines, "The name is not checked: "+err.Error())
			}
			return out, switchErr
		},
		Complete: func([]string) []Completion { return c.completeModels() },
	}
}

// switchModel sets the model for the session and remembers it. Models is what
// the endpoint offers, empty when it does not say.
func (c *Commands) switchModel(name string, models []Model) (Output, error) {
	var ids []string
	for _, m := range models {
		ids = append(ids, m.ID)
	}
	if i := slices.IndexFunc(ids, func(id string) bool { return strings.EqualFold(id, name) }); i >= 0 {
		name = ids[i]
	} else if len(ids) > 0 {
		return Output{}, fmt.Errorf("the endpoint has no model %q%s (/model lists all, /set model %s uses it anyway)", name, nearest.Question(name, ids), quoteWord(name))
	}
	if err := c.deps.Settings.Set(settings.Session, settings.Model.Key(), name); err != nil {
		return Output{}, err
	}
	lines := []string{"model " + name + " from the next message on" + c.limitNote(name, models)}
	if err := c.deps.Profiles.RememberModel(name); err != nil {
		lines = append(lines, "It is not remembered: "+err.Error())
	}
	return Output{Lines: lines}, nil
}

// limitNote says which context window comes with a model.
func (c *Commands) limitNote(name string, models []Model) string {
	if limit, set := settings.ContextLimit.Get(c.deps.Settings); set {
		return fmt.Sprintf("; context-limit stays %s, as set", words.Tokens(limit))
	}
	for _, m := range models {
		if m.ID == name && m.ContextLimit > 0 {
			return ", context " + words.Tokens(m.ContextLimit)
		}
	}
	return ""
}

// describeModels lists what the endpoint offers, the model in use marked.
func (c *Commands) describeModels(models []Model) []string {
	if len(models) == 0 {
		return []string{"The endpoint lists no models; /model NAME switches all the same."}
	}
	var rows [][]string
	for _, m := range models {
		mark, limit := " ", ""
		if m.ID == settings.Model.Of(c.deps.Settings) {
			mark = "*"
		}
		if m.ContextLimit > 0 {
			limit = words.Tokens(m.ContextLimit)
		}
		rows = append(rows, []string{mark + " " + m.ID, limit})
	}
	return table.Lines("lr", rows)
}

// pickModel lists what the endpoint offers, the models chosen before first.
func (c *Commands) pickModel(models []Model) *Pick {
	var offered []Completion
	for _, proposal := range c.completeModels() {
		if slices.ContainsFunc(models, func(m Model) bool { return m.ID == proposal.Value }) {
			offered = append(offered, proposal)
		}
	}
	return pickOf("model", "/model", offered, settings.Model.Of(c.deps.Settings))
}

// completeModels proposes the models chosen before, then all that the endpoint
// is known to offer.
func (c *Commands) completeModels() []Completion {
	offered := c.models.known()
	recent, _ := c.deps.Profiles.RecentModels()
	var proposals []Completion
	for _, id := range recent {
		proposals = append(proposals, Completion{Value: id, Help: joined(aboutModel(id, offered), "used before")})
	}
	for _, m := range offered {
		if !slices.Contains(recent, m.ID) {
			proposals = append(proposals, Completion{Value: m.ID, Help: aboutModel(m.ID, offered)})
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

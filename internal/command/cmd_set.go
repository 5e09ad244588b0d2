package command

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"agent/internal/settings"
)

// unsetWord makes /set forget a value.
const unsetWord = "unset"

// anyArgs lets a command explain by itself what is too much.
const anyArgs = 1 << 10

func (c *Commands) setCommand() Command {
	set := Command{
		Name: "set", MaxArgs: anyArgs,
		Usage: []Form{
			{"KEY VALUE", "change it"},
			{"KEY", "explain it"},
			{"", "list what differs from the defaults"},
			{unsetWord + " KEY", "take back what /set set"},
		},
		Help: "change a setting for this session",
	}
	set.Run = func(ctx context.Context, args []string) (Output, error) {
		switch {
		case len(args) == 0:
			return Output{Lines: c.describeChanged()}, nil
		case strings.EqualFold(args[0], unsetWord):
			return c.unset(args[1:])
		case len(args) == 1:
			return c.showOrAssign(ctx, args[0])
		case len(args) == 2:
			return c.assign(ctx, args[0], args[1])
		}
		if _, err := c.deps.Settings.Registry().Lookup(args[0]); err != nil {
			return Output{}, err
		}
		return Output{}, fmt.Errorf("a value with spaces needs quotes: /set %s %s", args[0], quoteWord(strings.Join(args[1:], " ")))
	}
	set.Complete = c.completeSet
	return set
}

// showOrAssign serves /set KEY, and KEY=VALUE as --set takes it.
func (c *Commands) showOrAssign(ctx context.Context, word string) (Output, error) {
	if key, value, ok := strings.Cut(word, "="); ok {
		return c.assign(ctx, key, value)
	}
	resolved, err := c.deps.Settings.Lookup(word)
	if err != nil {
		return Output{}, err
	}
	lines := DescribeSetting(resolved, c.deps.Settings.Profile())
	if why := settings.NoEffect(c.deps.Settings, resolved.Spec.Key); why != "" {
		lines = append(lines, "  "+why)
	}
	return Output{Lines: lines}, nil
}

// assign sets a value for the session and says what it was.
func (c *Commands) assign(ctx context.Context, key, value string) (Output, error) {
	before, err := c.deps.Settings.Lookup(key)
	if err != nil {
		return Output{}, err
	}
	if before.Spec.Type() == settings.TypeProfile && settings.ValidName(value) == nil {
		if _, err := c.deps.Profiles.Load(value); err != nil {
			return Output{}, err
		}
	}
	if err := c.deps.Settings.Set(settings.Session, key, value); err != nil {
		return Output{}, err
	}
	after, err := c.deps.Settings.Lookup(key)
	if err != nil {
		return Output{}, err
	}
	lines := []string{fmt.Sprintf("%s = %s (was %s)", after.Spec.Key, after.Value, shown(before))}
	return Output{Lines: append(lines, c.effect(ctx, after.Spec.Key)...)}, nil
}

// effect says what a change of the window's settings comes to, where that is not what
// the value says.
func (c *Commands) effect(ctx context.Context, key string) []string {
	if why := settings.NoEffect(c.deps.Settings, key); why != "" {
		return []string{why}
	}
	decides := []string{settings.CompressionThreshold.Key(), settings.ContextLimit.Key(), settings.MaxOutputTokens.Key()}
	if !slices.Contains(decides, key) {
		return nil
	}
	usage, err := c.deps.Session.ContextUsage(ctx)
	if err != nil {
		return nil // the setting holds all the same
	}
	if why := whyBelowThreshold(usage); why != "" {
		return []string{why}
	}
	return nil
}

// unset takes back what /set set, and says what holds now.
func (c *Commands) unset(args []string) (Output, error) {
	if len(args) != 1 {
		return Output{}, errors.New("type /set unset KEY")
	}
	was, err := c.deps.Settings.Unset(settings.Session, args[0])
	if err != nil {
		return Output{}, err
	}
	now, err := c.deps.Settings.Lookup(args[0])
	if err != nil {
		return Output{}, err
	}
	state := fmt.Sprintf("%s is %s (%s)", now.Spec.Key, shown(now), sourceName(now.Source, c.deps.Settings.Profile()))
	if !was {
		state += "; /set had not set it"
	}
	return Output{Lines: []string{state}}, nil
}

func (c *Commands) describeChanged() []string {
	changed := c.deps.Settings.Changed()
	if len(changed) == 0 {
		return []string{"Every setting has its default; /settings lists them."}
	}
	return settingRows(changed, c.deps.Settings.Profile(), 0)
}

func (c *Commands) completeSet(args []string) []Completion {
	switch {
	case len(args) == 0:
		return append(c.completeKeys(c.deps.Settings.All()), Completion{Value: unsetWord, Help: "go back to what holds without /set"})
	case len(args) == 1 && strings.EqualFold(args[0], unsetWord):
		var set []settings.Resolved
		for _, resolved := range c.deps.Settings.Changed() {
			if resolved.Source == settings.Session {
				set = append(set, resolved)
			}
		}
		return c.completeKeys(set)
	case len(args) == 1:
		return c.completeValues(args[0])
	default:
		return nil
	}
}

// completeKeys proposes keys, and after them their aliases.
func (c *Commands) completeKeys(all []settings.Resolved) []Completion {
	var keys, aliases []Completion
	for _, resolved := range all {
		spec := resolved.Spec
		keys = append(keys, Completion{Value: spec.Key, Help: spec.Help + " (" + shown(resolved) + ")"})
		for _, alias := range spec.Aliases {
			aliases = append(aliases, Completion{Value: alias, Help: "same as " + spec.Key})
		}
	}
	return append(keys, aliases...)
}

// completeValues proposes values of a key: all there are, or for a number those
// that represent something.
func (c *Commands) completeValues(key string) []Completion {
	resolved, err := c.deps.Settings.Lookup(key)
	if err != nil {
		return nil
	}
	switch spec := resolved.Spec; {
	case spec.Key == settings.Model.Key():
		return c.completeModels()
	case spec.Key == settings.ApprovalMode.Key():
		return completeModes()
	case spec.Type() == settings.TypeProfile:
		return c.completeProfiles()
	case spec.Values() != nil:
		var values []Completion
		for _, value := range spec.Values() {
			values = append(values, Completion{Value: value, Help: valueNote(resolved, value)})
		}
		return values
	case resolved.Value.IsSet():
		return []Completion{{Value: resolved.Value.String(), Help: "as it is now; takes " + spec.Takes()}}
	default:
		return nil
	}
}

// valueNote says which value is in use and which the default.
func valueNote(resolved settings.Resolved, value string) string {
	var notes []string
	if resolved.Value.String() == value {
		notes = append(notes, "in use")
	}
	if resolved.Spec.Default().String() == value {
		notes = append(notes, "default")
	}
	return strings.Join(notes, ", ")
}

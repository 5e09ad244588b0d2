package slash

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"agent/internal/command"
	"agent/internal/settings"
)

// unsetWord makes /set forget a value.
const unsetWord = "unset"

// anyArgs lets a command explain by itself what is too much.
const anyArgs = 1 << 10

// setter changes settings for the session.
type setter struct {
	session  Session
	settings *settings.Settings
	models   *models
	profiles profiles
}

func setCommand(s setter) command.Command {
	set := command.Command{
		Name: "set", MaxArgs: anyArgs,
		Usage: []command.Form{
			{Args: "KEY VALUE", Does: "change it"},
			{Args: "KEY", Does: "explain it"},
			{Does: "list what differs from the defaults"},
			{Args: unsetWord + " KEY", Does: "take back what /set set"},
		},
		Help: "change a setting for this session",
	}
	set.Run = func(ctx context.Context, args []string) (command.Output, error) {
		switch {
		case len(args) == 0:
			return command.Output{Lines: s.describeChanged()}, nil
		case strings.EqualFold(args[0], unsetWord):
			return s.unset(args[1:])
		case len(args) == 1:
			return s.showOrAssign(ctx, args[0])
		case len(args) == 2:
			return s.assign(ctx, args[0], args[1])
		}
		if _, err := s.settings.Registry().Lookup(args[0]); err != nil {
			return command.Output{}, err
		}
		return command.Output{}, fmt.Errorf("a value with spaces needs quotes: /set %s %s", args[0], command.Quote(strings.Join(args[1:], " ")))
	}
	set.Complete = s.complete
	return set
}

// showOrAssign serves /set KEY, and KEY=VALUE as --set takes it.
func (s setter) showOrAssign(ctx context.Context, word string) (command.Output, error) {
	if key, value, ok := strings.Cut(word, "="); ok {
		return s.assign(ctx, key, value)
	}
	resolved, err := s.settings.Lookup(word)
	if err != nil {
		return command.Output{}, err
	}
	lines := DescribeSetting(resolved, s.settings.Profile())
	if why := settings.NoEffect(s.settings, resolved.Spec.Key); why != "" {
		lines = append(lines, "  "+why)
	}
	return command.Output{Lines: lines}, nil
}

// assign sets a value for the session and says what it was.
func (s setter) assign(ctx context.Context, key, value string) (command.Output, error) {
	before, err := s.settings.Lookup(key)
	if err != nil {
		return command.Output{}, err
	}
	if before.Spec.Type() == settings.TypeProfile && settings.ValidName(value) == nil {
		if _, err := s.profiles.store.Load(value); err != nil {
			return command.Output{}, err
		}
	}
	if err := s.settings.Set(settings.Session, key, value); err != nil {
		return command.Output{}, err
	}
	after, err := s.settings.Lookup(key)
	if err != nil {
		return command.Output{}, err
	}
	lines := []string{fmt.Sprintf("%s = %s (was %s)", after.Spec.Key, after.Value, shown(before))}
	return command.Output{Lines: append(lines, s.effect(ctx, after.Spec.Key)...)}, nil
}

// effect says what a change of the window's settings comes to, where that is not what
// the value says.
func (s setter) effect(ctx context.Context, key string) []string {
	if why := settings.NoEffect(s.settings, key); why != "" {
		return []string{why}
	}
	decides := []string{settings.CompressionThreshold.Key(), settings.ContextLimit.Key(), settings.MaxOutputTokens.Key()}
	if !slices.Contains(decides, key) {
		return nil
	}
	usage, err := s.session.ContextUsage(ctx)
	if err != nil {
		return nil // the setting holds all the same
	}
	if why := whyBelowThreshold(usage); why != "" {
		return []string{why}
	}
	return nil
}

// unset takes back what /set set, and says what holds now.
func (s setter) unset(args []string) (command.Output, error) {
	if len(args) != 1 {
		return command.Output{}, errors.New("type /set unset KEY")
	}
	was, err := s.settings.Unset(settings.Session, args[0])
	if err != nil {
		return command.Output{}, err
	}
	now, err := s.settings.Lookup(args[0])
	if err != nil {
		return command.Output{}, err
	}
	state := fmt.Sprintf("%s is %s (%s)", now.Spec.Key, shown(now), sourceName(now.Source, s.settings.Profile()))
	if !was {
		state += "; /set had not set it"
	}
	return command.Output{Lines: []string{state}}, nil
}

func (s setter) describeChanged() []string {
	changed := s.settings.Changed()
	if len(changed) == 0 {
		return []string{"Every setting has its default; /settings lists them."}
	}
	return settingRows(changed, s.settings.Profile(), 0)
}

func (s setter) complete(args []string) []command.Completion {
	switch {
	case len(args) == 0:
		return append(completeKeys(s.settings.All()), command.Completion{Value: unsetWord, Help: "go back to what holds without /set"})
	case len(args) == 1 && strings.EqualFold(args[0], unsetWord):
		var set []settings.Resolved
		for _, resolved := range s.settings.Changed() {
			if resolved.Source == settings.Session {
				set = append(set, resolved)
			}
		}
		return completeKeys(set)
	case len(args) == 1:
		return s.completeValues(args[0])
	default:
		return nil
	}
}

// completeKeys proposes keys, and after them their aliases.
func completeKeys(all []settings.Resolved) []command.Completion {
	var keys, aliases []command.Completion
	for _, resolved := range all {
		spec := resolved.Spec
		keys = append(keys, command.Completion{Value: spec.Key, Help: spec.Help + " (" + shown(resolved) + ")"})
		for _, alias := range spec.Aliases {
			aliases = append(aliases, command.Completion{Value: alias, Help: "same as " + spec.Key})
		}
	}
	return append(keys, aliases...)
}

// completeValues proposes values of a key: all there are, or for a number those
// that represent something.
func (s setter) completeValues(key string) []command.Completion {
	resolved, err := s.settings.Lookup(key)
	if err != nil {
		return nil
	}
	switch spec := resolved.Spec; {
	case spec.Key == settings.Model.Key():
		return s.models.complete(nil)
	case spec.Key == settings.ApprovalMode.Key():
		return completeModes()
	case spec.Type() == settings.TypeProfile:
		return s.profiles.complete()
	case spec.Values() != nil:
		var values []command.Completion
		for _, value := range spec.Values() {
			values = append(values, command.Completion{Value: value, Help: valueNote(resolved, value)})
		}
		return values
	case resolved.Value.IsSet():
		return []command.Completion{{Value: resolved.Value.String(), Help: "as it is now; takes " + spec.Takes()}}
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

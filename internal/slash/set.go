package slash

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"agent/internal/base/table"
	"agent/internal/command"
	"agent/internal/settings"

	"github.com/charmbracelet/x/ansi"
)

// setter runs the commands that change settings of the session.
type setter struct {
	Deps
	models   *models
	profiles profiles
}

func setCommand(s setter) command.Command {
	return command.Command{
		Name: "set", Help: "change a setting",
		Forms: []command.Form{
			{Args: "KEY VALUE", Rest: true, Does: "change it", Run: command.ShowLines(s.set), Complete: s.completeValues},
			{Args: "KEY", Does: "explain it", Run: showOne(s.showOrAssign)},
			{Does: "list the settings that differ from the defaults", Run: command.ShowLines(func(context.Context, []string) ([]string, error) { return s.describeChanged(), nil })},
			{Args: "unset KEY", Does: "reset a setting to its value before /set", Run: showOne(s.unset), Complete: func([]string) []command.Completion {
				return completeKeys(slices.DeleteFunc(s.Settings.NonDefault(), func(r settings.ResolvedSetting) bool {
					return r.Source != settings.LayerSession && r.Source != settings.LayerSaved
				}))
			}},
		},
	}
}

// set runs /set KEY VALUE.
func (s setter) set(ctx context.Context, values []string) ([]string, error) {
	if len(values) == 2 {
		return s.assign(ctx, values[0], values[1])
	}
	if _, err := s.Settings.Registry().Lookup(values[0]); err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("put quotes around a value with spaces: /set %s %s", values[0], command.Quote(strings.Join(values[1:], " ")))
}

func (s setter) setCommand(key string) command.RunFunc {
	return showOne(func(ctx context.Context, value string) ([]string, error) { return s.assign(ctx, key, value) })
}

// showOrAssign runs /set KEY. It also accepts /set KEY=VALUE, the form of the flag --set.
func (s setter) showOrAssign(ctx context.Context, word string) ([]string, error) {
	if key, value, ok := strings.Cut(word, "="); ok {
		return s.assign(ctx, key, value)
	}
	resolved, err := s.Settings.Lookup(word)
	if err != nil {
		return nil, err
	}
	lines := DescribeSetting(resolved, s.Settings.Profile())
	if why := settings.NoEffectReason(s.Settings, resolved.Spec.Key); why != "" {
		lines = append(lines, "  "+why)
	}
	return lines, nil
}

// assign sets a value for the session, and reports the new and the old value.
func (s setter) assign(ctx context.Context, key, value string) ([]string, error) {
	before, err := s.Settings.Lookup(key)
	if err != nil {
		return nil, err
	}
	if before.Spec.Type() == settings.TypeProfile && settings.CheckName(value) == nil {
		if _, err := s.Profiles.Load(value); err != nil {
			return nil, err
		}
	}
	if before.Spec.Key == settings.Theme.Key() && s.ThemeFault != nil {
		if err := s.ThemeFault(value); err != nil {
			return nil, err
		}
	}
	if err := s.Settings.Set(settings.LayerSession, key, value); err != nil {
		return nil, err
	}
	after, err := s.Settings.Lookup(key)
	if err != nil {
		return nil, err
	}
	lines := []string{fmt.Sprintf("%s = %s (was %s)", after.Spec.Key, after.DisplayValue(), valueText(before))}
	if s.Choices.Setting != nil {
		lines = append(lines, s.keep(after))
	}
	if why := s.effect(ctx, after.Spec.Key); why != "" {
		lines = append(lines, why)
	}
	return lines, nil
}

// keep stores a choice of the user, and returns a text about how long the new value applies.
func (s setter) keep(chosen settings.ResolvedSetting) string {
	key := chosen.Spec.Key
	if !chosen.Spec.Person {
		return "For this session. To keep it, type /profile save NAME."
	}
	if err := s.Choices.Setting(key, chosen.Value); err != nil {
		return "For this session only. Can't save it: " + err.Error()
	}
	if err := s.Settings.Set(settings.LayerSaved, key, chosen.Value.String()); err != nil {
		return "For this session only. Can't save it: " + err.Error()
	}
	takeBack := "To reset it, type /set unset " + key
	if _, source := s.Settings.GetUpToLayer(settings.LayerFlags, key); source != settings.LayerSaved {
		return fmt.Sprintf("Saved, but %s has priority at the next start. %s", sourceName(source, s.Settings.Profile()), takeBack)
	}
	return "Saved for later sessions. " + takeBack
}

// effect explains why a new value has no effect, or an unexpected effect. It returns "" if the value needs
// no explanation.
func (s setter) effect(ctx context.Context, key string) string {
	if why := settings.NoEffectReason(s.Settings, key); why != "" {
		return why
	}
	if !slices.Contains([]string{settings.CompressionThreshold.Key(), settings.ContextLimit.Key(), settings.MaxOutputTokens.Key()}, key) {
		return ""
	}
	usage, err := s.Context.ContextUsage(ctx)
	if err != nil {
		return "" // without the usage there is no explanation
	}
	return whyBelowThreshold(usage)
}

// unset undoes /set for a key, and reports the value that applies now.
func (s setter) unset(_ context.Context, key string) ([]string, error) {
	was, err := s.Settings.Unset(settings.LayerSession, key)
	if err != nil {
		return nil, err
	}
	now, err := s.Settings.Lookup(key)
	if err != nil {
		return nil, err
	}
	if s.Choices.Setting != nil && now.Spec.Person {
		if err := s.Choices.Setting(now.Spec.Key, settings.Value{}); err != nil {
			return nil, err
		}
		kept, err := s.Settings.Unset(settings.LayerSaved, now.Spec.Key)
		if err != nil {
			return nil, err
		}
		was = was || kept
		if now, err = s.Settings.Lookup(key); err != nil {
			return nil, err
		}
	}
	state := fmt.Sprintf("%s is %s (%s)", now.Spec.Key, valueText(now), sourceName(now.Source, s.Settings.Profile()))
	if !was {
		state += "; it was not changed by /set"
	}
	return []string{state}, nil
}

func (s setter) describeChanged() []string {
	changed := s.Settings.NonDefault()
	if len(changed) == 0 {
		return []string{"All settings have their defaults. To list them, type /settings."}
	}
	return settingRows(changed, s.Settings.Profile(), 0)
}

// completeKeys proposes the keys of settings, then their aliases.
func completeKeys(all []settings.ResolvedSetting) []command.Completion {
	var keys, aliases []command.Completion
	for _, resolved := range all {
		spec := resolved.Spec
		keys = append(keys, command.Completion{Value: spec.Key, Help: spec.Help + " (" + valueText(resolved) + ")"})
		for _, alias := range spec.Aliases {
			aliases = append(aliases, command.Completion{Value: alias, Help: "same as " + spec.Key})
		}
	}
	return append(keys, aliases...)
}

// completeValues proposes keys. After a key it proposes all values of that setting, or the current value if
// the values cannot be listed.
func (s setter) completeValues(typed []string) (values []command.Completion) {
	if len(typed) == 0 {
		return completeKeys(s.Settings.All())
	}
	resolved, err := s.Settings.Lookup(typed[0])
	if err != nil || len(typed) > 1 {
		return nil
	}
	switch spec := resolved.Spec; {
	case spec.Key == settings.Model.Key():
		return s.models.complete(nil)
	case spec.Key == settings.ApprovalMode.Key():
		return completeModes(nil)
	case spec.Type() == settings.TypeProfile:
		return s.profiles.complete(nil)
	case spec.Values() != nil:
		for _, value := range spec.Values() {
			values = append(values, command.Completion{Value: value, Help: valueNote(resolved, value)})
		}
	case resolved.Value.IsSet() && resolved.DisplayValue() == resolved.Value.String():
		return []command.Completion{{Value: resolved.Value.String(), Help: "current value; takes " + spec.ValidValuesText()}}
	}
	return values
}

// valueNote marks a value that is in use or is the default.
func valueNote(resolved settings.ResolvedSetting, value string) string {
	var notes []string
	if resolved.Value.String() == value {
		notes = append(notes, "in use")
	}
	if resolved.Spec.Default().String() == value {
		notes = append(notes, "default")
	}
	return strings.Join(notes, ", ")
}

func settingsCommand(d Deps) command.Command {
	return command.Command{
		Name: "settings", Aliases: []string{"config"}, Help: "list the settings with value and source",
		Forms: []command.Form{
			{Does: "list all", Run: command.ShowLines(func(context.Context, []string) ([]string, error) {
				return append(SettingsTable(d.Settings.All(), d.Settings.Profile()), "", "/set KEY explains a setting, /set KEY VALUE changes it."), nil
			})},
			{Args: "KEY", Does: "explain one", Run: showOne(d.explainSetting), Complete: func([]string) []command.Completion { return completeKeys(d.Settings.All()) }},
			{Args: "WORD", Does: "list the settings with WORD in their name or help"},
		},
	}
}

// explainSetting describes the setting with a key. If there is none, it lists the settings that contain the
// word in their key or help.
func (d Deps) explainSetting(_ context.Context, word string) ([]string, error) {
	resolved, err := d.Settings.Lookup(word)
	if err == nil {
		return DescribeSetting(resolved, d.Settings.Profile()), nil
	}
	about := func(r settings.ResolvedSetting) bool {
		return strings.Contains(strings.ToLower(r.Spec.Key+" "+r.Spec.Help), strings.ToLower(word))
	}
	if found := slices.DeleteFunc(d.Settings.All(), func(r settings.ResolvedSetting) bool { return !about(r) }); len(found) > 0 {
		return SettingsTable(found, d.Settings.Profile()), nil
	}
	return nil, err
}

// DescribeSetting describes one setting completely: its value, source, help and accepted values. profile is
// the name of the loaded profile.
func DescribeSetting(resolved settings.ResolvedSetting, profile string) []string {
	spec := resolved.Spec
	lines := []string{
		fmt.Sprintf("%s = %s (%s)", spec.Key, valueText(resolved), sourceName(resolved.Source, profile)),
		"  " + spec.Help,
		"  takes " + spec.ValidValuesText(),
	}
	if resolved.Source != settings.LayerDefault {
		lines = append(lines, "  default "+defaultText(spec))
	}
	if spec.Person {
		lines = append(lines, "  saved for later sessions if you set it in an interactive session")
	}
	if spec.Environment != "" {
		lines = append(lines, "  environment variable "+spec.Environment)
	}
	if len(spec.Aliases) > 0 {
		lines = append(lines, "  also "+strings.Join(spec.Aliases, ", "))
	}
	return lines
}

// SettingsTable lists settings under the names of their categories. Each category is a separate table, so
// that one long key does not move the columns of all rows beyond a narrow screen.
func SettingsTable(all []settings.ResolvedSetting, profile string) []string {
	var lines []string
	for len(all) > 0 {
		category := all[0].Spec.Category
		n := slices.IndexFunc(all, func(r settings.ResolvedSetting) bool { return r.Spec.Category != category })
		if n < 0 {
			n = len(all)
		}
		if len(lines) > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, string(category))
		for _, row := range settingRows(all[:n], profile, valueColumn) {
			lines = append(lines, "  "+row)
		}
		all = all[n:]
	}
	return lines
}

// valueColumn is the width, in columns, of the values in the list of all settings. Only a longer value,
// such as an address, exceeds the width; the other rows stay aligned.
const valueColumn = 6

// settingRows formats settings as aligned rows. values is the width of the value column; 0 means the width
// of the widest value.
func settingRows(all []settings.ResolvedSetting, profile string, values int) []string {
	rows := make([][]string, len(all))
	for i, resolved := range all {
		value, source := "unset", sourceName(resolved.Source, profile)
		if resolved.Value.IsSet() {
			value = resolved.DisplayValue()
		}
		switch {
		case resolved.Source != settings.LayerDefault:
			source += " (default " + defaultText(resolved.Spec) + ")"
		case !resolved.Value.IsSet():
			source += " (" + resolved.Spec.Unset + ")"
		}
		rows[i] = []string{resolved.Spec.Key, value, source}
		if values > 0 {
			padding := strings.Repeat(" ", max(0, values-ansi.StringWidth(value)))
			rows[i] = []string{resolved.Spec.Key, value + padding + "  " + source}
		}
	}
	return table.Lines("lll", rows)
}

// valueText returns the value of a setting. For an unset setting it returns the meaning of leaving it
// unset.
func valueText(resolved settings.ResolvedSetting) string {
	if resolved.Value.IsSet() {
		return resolved.DisplayValue()
	}
	return "unset: " + resolved.Spec.Unset
}

func defaultText(spec *settings.Spec) string {
	if text := spec.Default().String(); text != "" {
		return text
	}
	return "unset: " + spec.Unset
}

func sourceName(source settings.Source, profile string) string {
	if source == settings.LayerProfile && profile != "" {
		return "profile " + profile
	}
	return source.String()
}

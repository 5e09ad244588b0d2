package slash

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"agent/internal/command"
	"agent/internal/settings"
	"agent/internal/table"
)

func settingsCommand(d Deps) command.Command {
	return command.Command{
		Name: "settings", Aliases: []string{"config"}, Help: "list the settings with value and source",
		Forms: []command.Form{
			{Does: "list all", Run: command.Say(func(context.Context, []string) ([]string, error) {
				return append(SettingsTable(d.Settings.All(), d.Settings.Profile()), "", "/set KEY explains one, /set KEY VALUE changes it."), nil
			})},
			{Args: "KEY", Does: "explain one", Run: one(d.explainSetting), Complete: func([]string) []command.Completion { return completeKeys(d.Settings.All()) }},
			{Args: "WORD", Does: "list those that are about it"},
		},
	}
}

// explainSetting describes the setting of a key, or lists those with a word in their key or
// help.
func (d Deps) explainSetting(_ context.Context, word string) ([]string, error) {
	resolved, err := d.Settings.Lookup(word)
	if err == nil {
		return DescribeSetting(resolved, d.Settings.Profile()), nil
	}
	about := func(r settings.Resolved) bool {
		return strings.Contains(strings.ToLower(r.Spec.Key+" "+r.Spec.Help), strings.ToLower(word))
	}
	if found := slices.DeleteFunc(d.Settings.All(), func(r settings.Resolved) bool { return !about(r) }); len(found) > 0 {
		return SettingsTable(found, d.Settings.Profile()), nil
	}
	return nil, err
}

// DescribeSetting describes one setting completely: value, source, help, what it
// takes. Profile is the name of the loaded profile.
func DescribeSetting(resolved settings.Resolved, profile string) []string {
	spec := resolved.Spec
	lines := []string{
		fmt.Sprintf("%s = %s (%s)", spec.Key, shown(resolved), sourceName(resolved.Source, profile)),
		"  " + spec.Help,
		"  takes " + spec.Takes(),
	}
	if resolved.Source != settings.Default {
		lines = append(lines, "  default "+defaultText(spec))
	}
	if spec.Environment != "" {
		lines = append(lines, "  set by "+spec.Environment+" in the environment")
	}
	if len(spec.Aliases) > 0 {
		lines = append(lines, "  also "+strings.Join(spec.Aliases, ", "))
	}
	return lines
}

// SettingsTable lists settings under their categories.
func SettingsTable(all []settings.Resolved, profile string) []string {
	rows := settingRows(all, profile, valueColumn)
	var lines []string
	var category settings.Category
	for i, resolved := range all {
		if resolved.Spec.Category != category {
			category = resolved.Spec.Category
			if i > 0 {
				lines = append(lines, "")
			}
			lines = append(lines, string(category))
		}
		lines = append(lines, "  "+rows[i])
	}
	return lines
}

// valueColumn is how wide the column of values is where all settings are listed. The rare
// one that is longer, such as an address, exceeds it alone instead of pushing all of
// them off a narrow screen.
const valueColumn = 6

// settingRows lines settings up, one a row, with a column that wide for their values; 0
// is as wide as they are.
func settingRows(all []settings.Resolved, profile string, values int) []string {
	rows := make([][]string, len(all))
	for i, resolved := range all {
		value, source := "unset", sourceName(resolved.Source, profile)
		if resolved.Value.IsSet() {
			value = resolved.Value.String()
		}
		switch {
		case resolved.Source != settings.Default:
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

// shown is the value of a setting, or what unset means.
func shown(resolved settings.Resolved) string {
	if resolved.Value.IsSet() {
		return resolved.Value.String()
	}
	return "unset: " + resolved.Spec.Unset
}

func defaultText(spec *settings.Spec) string {
	if text := spec.Default().String(); text != "" {
		return text
	}
	return "unset: " + spec.Unset
}

// sourceName names where a value comes from.
func sourceName(source settings.Source, profile string) string {
	if source == settings.ProfileLayer && profile != "" {
		return "profile " + profile
	}
	return source.String()
}

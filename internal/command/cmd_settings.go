package command

import (
	"context"
	"strings"

	"agent/internal/settings"
)

func (c *Commands) settingsCommand() Command {
	return Command{
		Name: "settings", Aliases: []string{"config"}, MaxArgs: 1,
		Usage: []Form{{"", "list all"}, {"KEY", "explain one"}, {"WORD", "list those that are about it"}},
		Help:  "list the settings with value and source",
		Run: func(_ context.Context, args []string) (Output, error) {
			profile := c.deps.Settings.Profile()
			if len(args) == 0 {
				lines := SettingsTable(c.deps.Settings.All(), profile)
				return Output{Lines: append(lines, "", "/set KEY explains one, /set KEY VALUE changes it.")}, nil
			}
			resolved, err := c.deps.Settings.Lookup(args[0])
			if err == nil {
				return Output{Lines: DescribeSetting(resolved, profile)}, nil
			}
			if found := c.matching(args[0]); len(found) > 0 {
				return Output{Lines: SettingsTable(found, profile)}, nil
			}
			return Output{}, err
		},
		Complete: func([]string) []Completion { return c.completeKeys(c.deps.Settings.All()) },
	}
}

// matching returns the settings with a word in their key or help.
func (c *Commands) matching(word string) []settings.Resolved {
	word = strings.ToLower(word)
	var found []settings.Resolved
	for _, resolved := range c.deps.Settings.All() {
		if strings.Contains(strings.ToLower(resolved.Spec.Key+" "+resolved.Spec.Help), word) {
			found = append(found, resolved)
		}
	}
	return found
}

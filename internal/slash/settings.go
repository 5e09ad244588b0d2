package slash

import (
	"context"
	"strings"

	"agent/internal/command"
	"agent/internal/settings"
)

func settingsCommand(d Deps) command.Command {
	return command.Command{
		Name: "settings", Aliases: []string{"config"}, MaxArgs: 1,
		Usage: []command.Form{{Does: "list all"}, {Args: "KEY", Does: "explain one"}, {Args: "WORD", Does: "list those that are about it"}},
		Help:  "list the settings with value and source",
		Run: func(_ context.Context, args []string) (command.Output, error) {
			profile := d.Settings.Profile()
			if len(args) == 0 {
				lines := SettingsTable(d.Settings.All(), profile)
				return command.Output{Lines: append(lines, "", "/set KEY explains one, /set KEY VALUE changes it.")}, nil
			}
			resolved, err := d.Settings.Lookup(args[0])
			if err == nil {
				return command.Output{Lines: DescribeSetting(resolved, profile)}, nil
			}
			if found := matching(d.Settings, args[0]); len(found) > 0 {
				return command.Output{Lines: SettingsTable(found, profile)}, nil
			}
			return command.Output{}, err
		},
		Complete: func([]string) []command.Completion { return completeKeys(d.Settings.All()) },
	}
}

// matching returns the settings with a word in their key or help.
func matching(s *settings.Settings, word string) []settings.Resolved {
	word = strings.ToLower(word)
	var found []settings.Resolved
	for _, resolved := range s.All() {
		if strings.Contains(strings.ToLower(resolved.Spec.Key+" "+resolved.Spec.Help), word) {
			found = append(found, resolved)
		}
	}
	return found
}

func themeCommand(s setter) command.Command {
	return command.Command{
		Name: "theme", MaxArgs: 1,
		Usage: []command.Form{{Does: "choose from the themes"}, {Args: "NAME", Does: "choose one for this session"}},
		Help:  "show or choose the colours of the screen",
		Run: func(ctx context.Context, args []string) (command.Output, error) {
			if len(args) == 1 {
				return s.assign(ctx, settings.Theme.Key(), args[0])
			}
			themes, inUse := s.completeValues(settings.Theme.Key()), settings.Theme.Of(s.settings)
			pick := command.PickOf("theme", "/theme", themes, inUse)
			for i, c := range pick.Choices {
				pick.Choices[i].Theme = c.Name
			}
			return command.Output{Lines: choices(themes, inUse), Pick: pick}, nil
		},
		Complete: func([]string) []command.Completion { return s.completeValues(settings.Theme.Key()) },
	}
}

package command

import (
	"context"

	"agent/internal/settings"
)

func (c *Commands) themeCommand() Command {
	return Command{
		Name: "theme", MaxArgs: 1,
		Usage: []Form{{"", "choose from the themes"}, {"NAME", "choose one for this session"}},
		Help:  "show or choose the colours of the screen",
		Run: func(ctx context.Context, args []string) (Output, error) {
			if len(args) == 1 {
				return c.assign(ctx, settings.Theme.Key(), args[0])
			}
			themes, inUse := c.completeValues(settings.Theme.Key()), settings.Theme.Of(c.deps.Settings)
			return Output{Lines: choices(themes, inUse), Pick: pickOf("theme", "/theme", themes, inUse)}, nil
		},
		Complete: func([]string) []Completion { return c.completeValues(settings.Theme.Key()) },
	}
}

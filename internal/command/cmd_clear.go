package command

import "context"

func (c *Commands) clearCommand() Command {
	return Command{
		Name: "clear", Aliases: []string{"new"},
		Help: "start over with an empty context", Loses: true,
		Run: func(ctx context.Context, _ []string) (Output, error) {
			if err := c.deps.Session.Clear(ctx); err != nil {
				return Output{}, err
			}
			if c.deps.Recorded {
				return Output{Lines: []string{"The context is empty; the session log keeps what was said."}, Fresh: true}, nil
			}
			return Output{Lines: []string{"The context is empty."}, Fresh: true}, nil
		},
	}
}

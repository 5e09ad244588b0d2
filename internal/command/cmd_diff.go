package command

import (
	"context"
	"strings"
)

func (c *Commands) diffCommand() Command {
	return Command{
		Name: "diff",
		Help: "show what changed since the last commit",
		Run: func(ctx context.Context, _ []string) (Output, error) {
			diff, err := c.deps.Diff(ctx)
			if err != nil {
				return Output{}, err
			}
			if strings.TrimSpace(diff) == "" {
				return Output{Lines: []string{"Nothing changed since the last commit."}}, nil
			}
			return Output{Diff: diff}, nil
		},
	}
}

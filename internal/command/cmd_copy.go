package command

import (
	"context"
	"errors"
)

func (c *Commands) copyCommand() Command {
	return Command{
		Name: "copy", Aliases: []string{"cp"},
		Help: "copy the last answer to the clipboard",
		Run: func(ctx context.Context, _ []string) (Output, error) {
			reply, err := c.deps.Session.LastReply(ctx)
			if err != nil {
				return Output{}, err
			}
			if reply == "" {
				return Output{}, errors.New("there is no answer to copy yet")
			}
			return Output{Copy: reply}, nil
		},
	}
}

package command

import (
	"context"
	"errors"
	"fmt"

	"agent/internal/chat"
)

func (c *Commands) compressCommand() Command {
	return Command{
		Name: "compress", Aliases: []string{"compact"},
		Help: "make the context smaller now", Loses: true,
		Run: func(ctx context.Context, _ []string) (Output, error) {
			done, err := c.deps.Session.Compress(ctx)
			switch {
			case errors.Is(err, chat.ErrWorking):
				return Output{}, err
			case errors.Is(err, chat.ErrInterrupted):
				return Output{Lines: []string{"compression interrupted, the context is as it was"}}, nil
			case err != nil:
				return Output{}, fmt.Errorf("compression failed, the context is as it was: %w", err)
			}
			return Output{Lines: []string{done.String()}}, nil
		},
	}
}

package command

import "context"

func (c *Commands) retryCommand() Command {
	return Command{
		Name: "retry",
		Help: "send the conversation again after a failure",
		Run:  func(ctx context.Context, _ []string) (Output, error) { return Output{}, c.deps.Session.Retry(ctx) },
	}
}

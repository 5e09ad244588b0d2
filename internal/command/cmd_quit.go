package command

import "context"

func (c *Commands) quitCommand() Command {
	return Command{
		Name: "quit", Aliases: []string{"exit", "q"},
		Help: "leave; the session can be continued later", Loses: true,
		Run: func(context.Context, []string) (Output, error) { return Output{Quit: true}, nil },
	}
}

package command

import "context"

func (c *Commands) todoCommand() Command {
	return Command{
		Name: "todo", Aliases: []string{"todos"},
		Help: "show what the model means to do",
		Run: func(context.Context, []string) (Output, error) {
			if list := c.deps.Todos(); len(list) > 0 {
				return Output{Lines: list}, nil
			}
			return Output{Lines: []string{"The todo list is empty; the model writes it."}}, nil
		},
	}
}

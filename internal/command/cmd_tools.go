package command

import (
	"context"
	"strings"

	"agent/internal/table"
)

func (c *Commands) toolsCommand() Command {
	return Command{
		Name: "tools",
		Help: "list what the model can do",
		Run: func(context.Context, []string) (Output, error) {
			var rows [][]string
			for _, tool := range c.deps.Tools() {
				rows = append(rows, []string{tool.Name, tool.Kind, firstSentence(tool.Description)})
			}
			return Output{Lines: table.Lines("lll", rows)}, nil
		},
	}
}

// firstSentence is enough of a description that was written for a model.
func firstSentence(text string) string {
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	text, _, _ = strings.Cut(text, ". ")
	return strings.TrimSuffix(text, ".")
}

package slash

import (
	"context"
	"strings"

	"agent/internal/command"
)

func whyCommand(deps Deps) command.Command {
	d := density{deps}
	return command.Command{
		Name: "why", Help: "show the origin of a text in the context", Raw: true,
		Forms: []command.Form{{Args: "TEXT", Rest: true, Run: d.whyLines, Complete: d.completeFiles(true, true)}},
	}
}

// whyLines shows the provenance of a text or a file.
func (d density) whyLines(ctx context.Context, args []string) (command.Output, error) {
	answer, err := d.Views.Why(ctx, strings.Join(args, " "))
	if err != nil {
		return command.Output{}, err
	}
	return command.Output{Lines: answer.Describe()}, nil
}

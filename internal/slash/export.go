package slash

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"agent/internal/command"
	"agent/internal/disk"
)

func exportCommand(d Deps) command.Command {
	return command.Command{
		Name: "export", MaxArgs: 1,
		Usage: []command.Form{{Does: "write it to a new file in the workspace"}, {Args: "FILE", Does: "write it to FILE, which must not exist: Markdown, or .json for agent context"}},
		Help:  "write the conversation to a file",
		Run: func(ctx context.Context, args []string) (command.Output, error) {
			path := d.exportName()
			if len(args) == 1 {
				path = args[0]
			}
			if !filepath.IsAbs(path) {
				path = filepath.Join(d.Workspace, path)
			}
			write := d.Transcript
			if strings.EqualFold(filepath.Ext(path), ".json") {
				write = d.Document
			}
			text, err := write(ctx)
			if err != nil {
				return command.Output{}, err
			}
			err = disk.CreateNew(path, []byte(text), 0o600)
			if errors.Is(err, fs.ErrExist) {
				return command.Output{}, fmt.Errorf("%s exists and is left as it is; give another name", path)
			}
			if err != nil {
				return command.Output{}, fmt.Errorf("the conversation cannot be written to %s: %w", path, disk.Reason(err))
			}
			return command.Output{Lines: []string{"written to " + path}}, nil
		},
		Complete: func([]string) []command.Completion {
			return []command.Completion{{Value: d.exportName(), Help: "in the workspace"}}
		},
	}
}

func (d Deps) exportName() string {
	return "conversation-" + d.Now().Format("20060102-150405") + ".md"
}

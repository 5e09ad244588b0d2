package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"agent/internal/disk"
)

func (c *Commands) exportCommand() Command {
	return Command{
		Name: "export", MaxArgs: 1,
		Usage: []Form{{"", "write it to a new file in the workspace"}, {"FILE", "write it to FILE, which must not exist: Markdown, or .json for agent context"}},
		Help:  "write the conversation to a file",
		Run: func(ctx context.Context, args []string) (Output, error) {
			path := c.exportName()
			if len(args) == 1 {
				path = args[0]
			}
			if !filepath.IsAbs(path) {
				path = filepath.Join(c.deps.Workspace, path)
			}
			write := c.deps.Transcript
			if strings.EqualFold(filepath.Ext(path), ".json") {
				write = c.deps.Document
			}
			text, err := write(ctx)
			if err != nil {
				return Output{}, err
			}
			err = disk.CreateNew(path, []byte(text), 0o600)
			if errors.Is(err, fs.ErrExist) {
				return Output{}, fmt.Errorf("%s exists and is left as it is; give another name", path)
			}
			if err != nil {
				return Output{}, fmt.Errorf("the conversation cannot be written to %s: %w", path, disk.Reason(err))
			}
			return Output{Lines: []string{"written to " + path}}, nil
		},
		Complete: func([]string) []Completion { return []Completion{{Value: c.exportName(), Help: "in the workspace"}} },
	}
}

func (c *Commands) exportName() string {
	return "conversation-" + c.deps.Now().Format("20060102-150405") + ".md"
}

package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

func (c *Commands) exportCommand() Command {
	return Command{
		Name: "export", MaxArgs: 1,
		Usage: []Form{{"", "write it to a new file in the workspace"}, {"FILE", "write it to FILE, which must not exist"}},
		Help:  "write the conversation to a Markdown file",
		Run: func(ctx context.Context, args []string) (Output, error) {
			path := c.exportName()
			if len(args) == 1 {
				path = args[0]
			}
			if !filepath.IsAbs(path) {
				path = filepath.Join(c.deps.Workspace, path)
			}
			text, err := c.deps.Transcript(ctx)
			if err != nil {
				return Output{}, err
			}
			if err := writeNew(path, text); err != nil {
				return Output{}, err
			}
			return Output{Lines: []string{"written to " + path}}, nil
		},
		Complete: func([]string) []Completion { return []Completion{{c.exportName(), "in the workspace"}} },
	}
}

func (c *Commands) exportName() string {
	return "conversation-" + c.deps.Now().Format("20060102-150405") + ".md"
}

// writeNew writes a file that must not exist yet: what a person wrote is never
// replaced by a typing error.
func writeNew(path, text string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists and is left as it is; give another name", path)
	}
	if err != nil {
		return fmt.Errorf("the conversation cannot be written: %w", err)
	}
	_, err = f.WriteString(text)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(fmt.Errorf("the conversation cannot be written: %w", err), os.Remove(path))
	}
	return nil
}

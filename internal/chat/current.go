package chat

import (
	"bytes"
	"io"
)

// maxCurrentFile bounds a file that the window looks at, in bytes.
const maxCurrentFile = 1 << 20

// files is how the window looks at files on disk; nil where there is no workspace.
func (c *Config) files() func(path string) string {
	if c.Env == nil || c.Env.Workspace == nil {
		return nil
	}
	return c.current
}

// current is the text of a file of the workspace as it is on disk, empty when it
// cannot be read, is not plain or too long. Whether the conversation knows it as such
// is for the reader to compare.
func (c *Config) current(path string) string {
	abs, err := c.Env.Workspace.Resolve(path)
	if err != nil {
		return ""
	}
	f, err := c.Env.Workspace.Open(abs)
	if err != nil {
		return ""
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxCurrentFile+1))
	if err != nil || len(data) > maxCurrentFile || bytes.ContainsAny(data, "\r\x00") {
		return ""
	}
	return string(data)
}

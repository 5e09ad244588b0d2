// Package prompts holds the texts the model is instructed with. They are embedded;
// a file of the same name in the user's configuration takes their place.
package prompts

import (
	"bytes"
	_ "embed" // system.md
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/template"
)

//go:embed system.md
var system string

// Session is what the system prompt says of the session.
type Session struct {
	Workspace string
	Platform  string
	Date      string
	// Tools are the names of the tools, separated by commas.
	Tools string
	// Instructions come from AGENTS.md files, the most general first.
	Instructions []Instruction
}

// Instruction is one AGENTS.md file.
type Instruction struct{ Source, Text string }

// System renders the system prompt. A file system.md in overrides replaces the
// embedded text; an error names it.
func System(overrides string, s Session) (string, error) {
	text, source := system, "the embedded system.md"
	path := filepath.Join(overrides, "system.md")
	switch data, err := os.ReadFile(path); {
	case err == nil:
		text, source = string(data), path
	case !errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("reading the system prompt: %w", err)
	}
	t, err := template.New("system").Parse(text)
	if err != nil {
		return "", fmt.Errorf("%s is not a valid template: %w", source, err)
	}
	var b bytes.Buffer
	if err := t.Execute(&b, s); err != nil {
		return "", fmt.Errorf("%s cannot be filled in: %w", source, err)
	}
	return strings.TrimSpace(b.String()) + "\n", nil
}

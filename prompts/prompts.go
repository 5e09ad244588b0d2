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
	t, err := template.New("system").Option("missingkey=error").Parse(text)
	if err != nil {
		return "", fmt.Errorf("%s is not a valid template: %w", source, err)
	}
	var b bytes.Buffer
	if err := t.Execute(&b, s); err != nil {
		return "", fmt.Errorf("%s cannot be filled in: %w", source, err)
	}
	return strings.TrimSpace(b.String()) + "\n", nil
}

// maxInstructions bounds an AGENTS.md file in bytes; a longer one is cut, which
// its text then says.
const maxInstructions = 64 << 10

// Instructions collects the AGENTS.md files that apply to workspace: the user's own
// in configDir, then those of the repository (or home) down to the workspace.
func Instructions(configDir, home, workspace string) ([]Instruction, error) {
	files := []string{filepath.Join(configDir, "AGENTS.md")}
	files = append(files, upwards(home, workspace)...)
	var found []Instruction
	for _, file := range files {
		data, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("reading instructions: %w", err)
		}
		text := strings.TrimSpace(string(data))
		if len(text) > maxInstructions {
			text = strings.ToValidUTF8(text[:maxInstructions], "") + "\n(cut: the file is longer than 64 KiB)"
		}
		if text != "" {
			found = append(found, Instruction{Source: file, Text: text})
		}
	}
	return found, nil
}

// upwards lists the AGENTS.md candidates from the root of the repository, or from
// home, down to the workspace. Outside of both only the workspace itself counts:
// anybody may put a file into a shared folder above it.
func upwards(home, workspace string) []string {
	var files []string
	for dir := workspace; ; dir = filepath.Dir(dir) {
		files = append([]string{filepath.Join(dir, "AGENTS.md")}, files...)
		_, err := os.Stat(filepath.Join(dir, ".git"))
		if err == nil || dir == home {
			return files
		}
		if dir == filepath.Dir(dir) {
			return files[len(files)-1:]
		}
	}
}

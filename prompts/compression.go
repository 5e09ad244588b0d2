package prompts

import (
	_ "embed" // compression.md
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/base/fsutil"
)

//go:embed compression.md
var compressionPrompt string

// CompressionSections lists the elements of a snapshot (D-37, REQ-HD-010.1 to REQ-HD-010.5).
var CompressionSections = []string{
	"overall_goal", "key_knowledge", "file_state", "progress_and_plan", "open_questions",
	"task_context", "user_directives", "errors_encountered", "code_references",
}

// Compression returns the prompt for a model that writes summaries: the embedded prompt, or the file
// compression.md in overrides. lacks is a line about elements that the file does not request, or "".
// The file is used even then.
func Compression(overrides string) (prompt, lacks string, err error) {
	path := filepath.Join(overrides, "compression.md")
	data, err := fsutil.Read(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return compressionPrompt, "", nil
	case err != nil:
		return "", "", fmt.Errorf("can't read the compression prompt: %w", err)
	}
	prompt = strings.ToValidUTF8(string(data), "\uFFFD")
	missing := slices.DeleteFunc(append([]string{"state_snapshot"}, CompressionSections...), func(section string) bool {
		return strings.Contains(prompt, "<"+section+">")
	})
	if len(missing) > 0 {
		lacks = fmt.Sprintf("%s does not ask for %s, so summaries will not have these sections", path, "<"+strings.Join(missing, ">, <")+">")
	}
	return prompt, lacks, nil
}

package prompts

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// REQ-HD-010.1, REQ-HD-010.2, REQ-HD-010.3, REQ-HD-010.4, D-37: the prompt requests every section.
func TestCompressionPromptRequestsEverySection(t *testing.T) {
	t.Parallel()
	prompt, lacks, err := Compression(t.TempDir())
	if err != nil || lacks != "" {
		t.Fatalf("%q, %v", lacks, err)
	}
	for section, holds := range map[string][]string{
		"overall_goal": {"wants"}, "key_knowledge": {"decisions"}, "file_state": {"path"}, "progress_and_plan": {"[DONE]"}, "open_questions": {"undecided"},
		"task_context":       {"each task", "todo list", "why it exists", "request of the user", "limits", "way was chosen", "been tried"},
		"user_directives":    {"corrected", "preferred", "Quote the exact words"},
		"errors_encountered": {"exact message", "cause", "solved it"},
		"code_references":    {"snippets", "signatures", "paths"},
	} {
		_, text, found := strings.Cut(prompt, "<"+section+">")
		text, _, closed := strings.Cut(text, "</"+section+">")
		if !found || !closed {
			t.Errorf("no section %s", section)
		}
		for _, want := range holds {
			if !strings.Contains(text, want) {
				t.Errorf("%s does not say %q:%s", section, want, text)
			}
		}
	}
	if len(CompressionSections) != 9 {
		t.Errorf("%d sections", len(CompressionSections))
	}
}

// REQ-HD-010.5: a file of the user replaces the prompt. If it lacks a section, an error names the
// section.
func TestCompressionPromptOverride(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	whole := "mine: <state_snapshot>"
	for _, section := range CompressionSections {
		whole += "<" + section + ">"
	}
	write(t, whole, dir, "compression.md")
	if prompt, lacks, err := Compression(dir); prompt != whole || lacks != "" || err != nil {
		t.Errorf("%q, %q, %v", prompt, lacks, err)
	}
	write(t, strings.NewReplacer("<file_state>", "", "<user_directives>", "").Replace(whole), dir, "compression.md")
	if _, lacks, err := Compression(dir); !strings.Contains(lacks, "does not ask for <file_state>, <user_directives>, so") || err != nil {
		t.Errorf("%q, %v", lacks, err)
	}
	broken := t.TempDir()
	if err := syscall.Mkdir(filepath.Join(broken, "compression.md"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Compression(broken); err == nil {
		t.Error("a folder is taken for a prompt")
	}
}

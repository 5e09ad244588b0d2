package session

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/history"
)

// D-46: pasted text is still marked as pasted when a later session recalls the prompt. Older files,
// where all text counts as typed, can be read.
func TestPromptsKeepPastedText(t *testing.T) {
	t.Parallel()
	prompts := Prompts{filepath.Join(t.TempDir(), "config", "history")}
	if earlier, err := prompts.Load(); err != nil || len(earlier) > 0 {
		t.Fatalf("before the first: %v, %v", earlier, err)
	}
	mixed := Prompt{{Text: "why does this fail?\n"}, {Text: "npm ERR! 404 @types/nodee", Source: history.SourcePasted}}
	for _, prompt := range []Prompt{{{Text: "see @a.go"}}, mixed} {
		if err := prompts.Append(prompt); err != nil {
			t.Fatal(err)
		}
	}
	file, err := os.ReadFile(prompts.Path)
	if err != nil {
		t.Fatal(err)
	}
	damaged := append([]byte("\"typed before\"\n{\n7\n"), file...)
	if err := os.WriteFile(prompts.Path, damaged, 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := prompts.Load()
	if diff := cmp.Diff([]Prompt{{{Text: "typed before"}}, {{Text: "see @a.go"}}, mixed}, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// If the disk becomes full, a prompt may be written in part. Only that prompt is lost.
func TestATornPromptCostsNoOther(t *testing.T) {
	t.Parallel()
	prompts := Prompts{filepath.Join(t.TempDir(), "history")}
	if err := os.WriteFile(prompts.Path, []byte("\"first\"\n\"half of a pro"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"second", "third"} {
		if err := prompts.Append(Prompt{{Text: text}}); err != nil {
			t.Fatal(err)
		}
	}
	got, err := prompts.Load()
	if diff := cmp.Diff([]Prompt{{{Text: "first"}}, {{Text: "second"}}, {{Text: "third"}}}, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// The prompt history of later sessions contains no API keys, typed or pasted. It does contain paths
// of key files.
func TestPromptsKeepNoKeys(t *testing.T) {
	t.Parallel()
	prompts := Prompts{filepath.Join(t.TempDir(), "history")}
	typed := Prompt{{Text: "use API_KEY=abcdefgh1 and "}, {Text: "ghp_0123456789abcdefABCDEF0123", Source: history.SourcePasted}}
	for _, prompt := range []Prompt{typed, {{Text: "/set header.X-Api-Key correct horse"}}, {{Text: "/SET header.x=abc"}}, {{Text: "/set auth-keyfile ~/key"}}, {{Text: "/set header.X-Api-Key"}}} {
		if err := prompts.Append(prompt); err != nil {
			t.Fatal(err)
		}
	}
	want := []Prompt{
		{{Text: "use API_KEY=[key] and "}, {Text: "[key]", Source: history.SourcePasted}},
		{{Text: "/set header.X-Api-Key [key]"}},
		{{Text: "/SET header.x=[key]"}},
		{{Text: "/set auth-keyfile ~/key"}},
		{{Text: "/set header.X-Api-Key"}},
	}
	got, err := prompts.Load()
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if typed[1].Text == want[0][1].Text {
		t.Error("the prompt of this session has changed too")
	}
}

package logs

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/history"
)

// brief formats a span with one line for each entry.
func brief(s Span) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %s", s.Agent, s.Project, s.Model)
	if s.Of != "" {
		b.WriteString(" of " + s.Of)
	}
	b.WriteString("\n")
	for _, entry := range s.Entries {
		fmt.Fprintf(&b, "%s:", entry.Speaker)
		for _, block := range entry.Blocks {
			switch block := block.(type) {
			case *history.Text:
				fmt.Fprintf(&b, " %q", block.Text)
			case *history.Thinking:
				fmt.Fprintf(&b, " (%s)", block.Thought)
			case *history.ToolCall:
				fmt.Fprintf(&b, " %s=%s%s", block.ID, block.Name, block.Parameters)
			case *history.ToolResponse:
				fmt.Fprintf(&b, " %s→%q", block.CallID, block.Result.Text())
				if block.Error != "" {
					b.WriteString(" failed")
				}
				if block.ExitCode != nil {
					fmt.Fprintf(&b, " exit %d", *block.ExitCode)
				}
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

func readAll(t *testing.T, data []byte) (stretches []Span, notes UnusedParts) {
	t.Helper()
	notes, err := ReadFile(bytes.NewReader(data), func(s Span) error {
		stretches = append(stretches, s)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return stretches, notes
}

func TestRead(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file    string
		damaged int
		want    []string
	}{
		{"claude.jsonl", 1, []string{`claude /w claude-opus-4-5
human: "fix it"
ai: (hm) c1=read_file{"file_path":"/w/a.go"} c2=run_shell_command{"command":"go test"}
tool: c1→"     1|package a\n     2|// → arrow" c2→"Exit code 2\nFAIL" failed exit 2
`, `claude /w claude-haiku-4-5 of s
human: "look for x"
ai: "a subagent"
`, `claude /w/sub claude-haiku-4-5 of s
human: "look for y"
ai: "another"
`, `claude /w claude-opus-4-5
human: "Summary: all was well"
ai: "Going on."
`}},
		{"codex.jsonl", 0, []string{`codex /w gpt-5.5
human: "rules"
human: "go"
ai: (hm) c1=apply_patch{"patch":"*** Begin Patch\n*** End Patch"}
tool: c1→"Exit code: 0\nSuccess."
ai: c2=run_shell_command{"command":"ls","directory":"/w/sub"}
tool: c2→"no such file" failed exit 2
ai: c3=apply_patch{"patch":"*** Begin Patch\n*** End Patch"}
tool: c3→"done"
`, `codex /w gpt-5.5
human: "what came before"
ai: "done"
`}},
		{"codex-bare.jsonl", 0, []string{`codex  
human: "go"
ai: c1=run_shell_command{"command":"git status","directory":"/w"}
tool: c1→"clean" exit 0
ai: "clean"
`}},
		{"gemini.jsonl", 0, []string{`gemini  gemini-2.5-flash
human: "context"
human: "read it"
ai: (Reading
a file) c1=read_file{"file_path":"a"}
tool: c1→"one"
ai: "I edit." c2=replace{"file_path":"a","old_string":"x","new_string":"y"}
tool: c2→"not found" failed
ai: "Done."
`}},
		{"pi.jsonl", 0, []string{`pi /w mock
human: "go"
ai: c1=replace{"file_path":"a.go","new_string":"y","old_string":"x"}
tool: c1→"not found" failed
ai: "no"
`}},
		{"opencode.json", 0, []string{`opencode /w gpt-5.5 of ses_0
human: "go"
ai: c1=run_shell_command{"command": "ls"}
tool: c1→"a.go" exit 0
ai: (hm) "one file"
`}},
	} {
		t.Run(c.file, func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(filepath.Join("testdata", c.file))
			if err != nil {
				t.Fatal(err)
			}
			stretches, notes := readAll(t, data)
			var got []string
			for _, s := range stretches {
				got = append(got, brief(s))
				if c.file != "codex-bare.jsonl" && s.Latest.IsZero() {
					t.Error("without a time")
				}
			}
			if strings.Join(got, "--\n") != strings.Join(c.want, "--\n") {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "--\n"), strings.Join(c.want, "--\n"))
			}
			if notes.Lines != c.damaged {
				t.Errorf("%d damaged lines, want %d", notes.Lines, c.damaged)
			}
		})
	}
}

// If a log ends within a record, only that record is lost.
func TestReadCutLog(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"claude.jsonl", "codex.jsonl", "gemini.jsonl", "pi.jsonl"} {
		data, err := os.ReadFile(filepath.Join("testdata", file))
		if err != nil {
			t.Fatal(err)
		}
		for cut := len(data); cut > bytes.IndexByte(data, '\n'); cut -= 7 {
			_, err := ReadFile(bytes.NewReader(data[:cut]), func(s Span) error {
				if err := history.Validate(history.Repair(s.Entries, "cut")); err != nil {
					t.Errorf("%s cut at %d: %v", file, cut, err)
				}
				return nil
			})
			if err != nil && !errors.Is(err, ErrUnknown) {
				t.Errorf("%s cut at %d: %v", file, cut, err)
			}
		}
	}
}

func TestForeignFilesAreUnknown(t *testing.T) {
	t.Parallel()
	for name, data := range map[string]string{
		"empty":           "",
		"text":            "hello\nworld\n",
		"our own log":     `{"v":1,"seq":1,"ts":"2026-11-22T13:33:49Z","type":"session","payload":{"id":"x","workspace":"/w"}}`,
		"our document":    `{"workspaceRoot":"/w","history":[]}`,
		"a list":          `[1,2,3]`,
		"an open object":  "{\n\"name\": \"a package\",\n\"type\": \"module\"\n}",
		"binary":          "\x00\x01\x02\xff\n\n\xfe",
		"forty odd lines": strings.Repeat("{}\n", 40),
	} {
		_, err := ReadFile(strings.NewReader(data), func(Span) error { return nil })
		if !errors.Is(err, ErrUnknown) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A line above the size limit is skipped, and the following lines are read.
func TestHugeLine(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join("testdata", "pi.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	huge := append(bytes.Repeat([]byte("x"), maxLine+1), '\n')
	stretches, notes := readAll(t, append(append(bytes.Clone(data), huge...), data[bytes.IndexByte(data, '\n')+1:]...))
	if len(stretches) != 1 || len(stretches[0].Entries) < 6 || notes.Lines != 1 {
		t.Errorf("%d stretches, %d entries, %d lines passed over", len(stretches), len(stretches[0].Entries), notes.Lines)
	}
}

func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("testdata/*.json*")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		_, err := ReadFile(bytes.NewReader(data), func(s Span) error {
			return history.Validate(history.Repair(s.Entries, "no answer"))
		})
		if err != nil && !errors.Is(err, ErrUnknown) {
			t.Error(err)
		}
	})
}

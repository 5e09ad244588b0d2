// Package prompts holds the texts the model is instructed with. They are embedded;
// a file of the same name in the user's configuration takes their place.
package prompts

import (
	_ "embed" // system.md, lean.md
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"agent/internal/disk"
)

//go:embed system.md
var full string

//go:embed lean.md
var lean string

// Session is what the system prompt says of the session.
type Session struct {
	Workspace string
	Platform  string
	Date      string
	// Shell runs commands; Model is the id of the model that answers. Empty when not
	// known.
	Shell, Model string
	// Trailer is the line that commits end with, empty for none.
	Trailer string
	// Family is the family of the model.
	Family string
	// Git is the state of the repository at the start, nil when there is none or it was
	// late.
	Git *Git
	// Tools are the names of the tools, separated by commas.
	Tools string
	// Instructions come from files, the most general first.
	Instructions []Instruction
}

// Has reports whether a tool is offered; a template asks it before it speaks of one.
func (s Session) Has(tool string) bool { return slices.Contains(strings.Split(s.Tools, ", "), tool) }

// IsGPT reports whether the model is one of OpenAI's.
func (s Session) IsGPT() bool { return s.Family == "gpt" || s.Family == "gpt-oss" }

// Git is the state of a repository in a few words.
type Git struct {
	Branch string
	// Changed counts the files that differ from the last commit, or are new.
	Changed int
	// Subjects are those of the last commits, the latest first.
	Subjects []string
}

// Instruction is one file with instructions for the model.
type Instruction struct{ Source, Text string }

// Templates are the system prompts before they are filled in: the usual one, and a
// short one for small windows.
type Templates struct{ full, lean *template.Template }

// Load reads the templates. A file system.md or lean.md in overrides replaces the
// embedded text; an error names it.
func Load(overrides string) (*Templates, error) {
	var t Templates
	var err error
	if t.full, err = load(overrides, "system.md", full); err != nil {
		return nil, err
	}
	t.lean, err = load(overrides, "lean.md", lean)
	return &t, err
}

func load(overrides, name, embedded string) (*template.Template, error) {
	text, source := embedded, "the embedded "+name
	path := filepath.Join(overrides, name)
	switch data, err := disk.Read(path); {
	case err == nil:
		text, source = string(data), path
	case !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("reading the system prompt: %w", err)
	}
	t, err := template.New(name).Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s is not a valid template: %w", source, err)
	}
	// What fails does so for every session.
	if err := t.Execute(io.Discard, Session{Instructions: []Instruction{{}}, Git: &Git{Subjects: []string{""}}}); err != nil {
		return nil, fmt.Errorf("%s cannot be filled in: %w", source, err)
	}
	return t, nil
}

// System renders the system prompt, the short one if lean. Instructions are cut until
// fits says that the prompt is short enough, or nothing of them is left; cut reports
// that they were.
func (t *Templates) System(s Session, lean bool, fits func(prompt string) bool) (prompt string, cut bool) {
	chosen := t.full
	if lean {
		chosen = t.lean
	}
	length := 0
	for _, i := range s.Instructions {
		length += len(i.Text)
	}
	prompt = render(chosen, s)
	for all := s.Instructions; length > 0 && !fits(prompt); prompt = render(chosen, s) {
		length, cut = length*3/4, true
		s.Instructions = shorten(all, length)
	}
	return prompt, cut
}

func render(t *template.Template, s Session) string {
	var b strings.Builder
	// Load has tried it, and a Builder takes everything.
	_ = t.Execute(&b, s)
	return strings.TrimSpace(b.String()) + "\n"
}

// shorten cuts instructions to bytes in all. The most specific come last and are cut
// last; each that is cut names its file, so that the model can read the rest.
func shorten(all []Instruction, bytes int) []Instruction {
	var kept []Instruction
	for _, i := range slices.Backward(all) {
		if len(i.Text) > bytes {
			i.Text = strings.ToValidUTF8(i.Text[:bytes], "") + "\n(cut to fit the context window; the file has more)"
		}
		bytes -= min(bytes, len(i.Text))
		kept = append(kept, i)
		if bytes == 0 {
			break
		}
	}
	slices.Reverse(kept)
	return kept
}

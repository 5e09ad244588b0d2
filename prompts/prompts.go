// Package prompts holds the instructions for the model. They are embedded in the program. A file of
// the same name in the user's configuration replaces an embedded text.
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
	"sync"
	"text/template"

	"agent/internal/base/fsutil"
)

//go:embed system.md
var full string

//go:embed lean.md
var lean string

// Session contains the data about a session for the system prompt.
type Session struct {
	Workspace string
	Platform  string
	Date      string
	// Shell is the shell that runs commands, or "" if unknown.
	Shell string
	// Model is the id of the model, or "" if unknown.
	Model string
	// Trailer is the last line of commit messages, or "".
	Trailer string
	// Family is the family of the model.
	Family string
	// Git is the state of the repository at the start, or nil if there is none.
	Git *Git
	// Sandbox describes the sandbox of commands, or is nil if they run without one.
	Sandbox *Sandbox
	// Agent is set for a subagent. Only its last message is read, by another model.
	Agent bool
	// Tools lists the names of the tools, separated by commas.
	Tools string
	// Instructions lists the instruction files, the most general first.
	Instructions []Instruction
	// Notes are the facts from earlier sessions, or "".
	Notes string
}

// Has reports whether a tool is available. Templates call it before they mention a tool.
func (s Session) Has(tool string) bool { return slices.Contains(strings.Split(s.Tools, ", "), tool) }

// Edits reports whether a tool that changes files is available.
func (s Session) Edits() bool {
	return slices.ContainsFunc([]string{"replace", "apply_patch", "write_file", "ast_edit", "insert_at_line", "delete_line_range"}, s.Has)
}

// IsGPT reports whether the model belongs to a family of OpenAI.
func (s Session) IsGPT() bool { return s.Family == "gpt" || s.Family == "gpt-oss" }

// Sandbox describes the sandbox of commands.
type Sandbox struct {
	// OwnTemp is set if commands have a separate /tmp.
	OwnTemp bool
	// Network is set if commands have access to the network.
	Network bool
}

// Git summarizes the state of a repository.
type Git struct {
	Branch string
	// Changed counts the files that are new or differ from the last commit.
	Changed int
	// Late is set if git did not report the changed files in time.
	Late bool
	// Subjects lists the subjects of the last commits, the latest first.
	Subjects []string
}

// Instruction is an instruction file for the model.
type Instruction struct{ Source, Text string }

// Templates contains the templates of the system prompt: the full one, and a short one for small
// context windows.
type Templates struct{ full, lean func() *template.Template }

// Load parses the templates. A file system.md or lean.md in overrides replaces the embedded text. The
// error names a file that cannot be used.
func Load(overrides string) (*Templates, error) {
	var t Templates
	var err error
	if t.full, err = load(overrides, "system.md", embeddedFull); err != nil {
		return nil, err
	}
	t.lean, err = load(overrides, "lean.md", embeddedLean)
	return &t, err
}

// The embedded templates are parsed when the first request needs one. They are valid, because the tests
// also parse them.
var (
	embeddedFull = sync.OnceValue(func() *template.Template { return embedded("system.md", full) })
	embeddedLean = sync.OnceValue(func() *template.Template { return embedded("lean.md", lean) })
)

func embedded(name, text string) *template.Template {
	t, err := parse(name, text)
	if err != nil {
		panic("the embedded " + err.Error())
	}
	return t
}

func load(overrides, name string, embedded func() *template.Template) (func() *template.Template, error) {
	path := filepath.Join(overrides, name)
	text, err := fsutil.Read(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return embedded, nil
	case err != nil:
		return nil, fmt.Errorf("can't read the system prompt: %w", err)
	}
	t, err := parse(path, string(text))
	return func() *template.Template { return t }, err
}

func parse(name, text string) (*template.Template, error) {
	t, err := template.New(filepath.Base(name)).Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s is not a valid template: %w", name, err)
	}
	// A template that fails here fails for every session.
	if err := t.Execute(io.Discard, Session{Instructions: []Instruction{{}}, Sandbox: &Sandbox{}, Git: &Git{Subjects: []string{""}}}); err != nil {
		return nil, fmt.Errorf("%s can't be executed as a template: %w", name, err)
	}
	return t, nil
}

// System returns the system prompt, or the short prompt if lean is set. It shortens the instructions
// until fits reports that the prompt is short enough, or until none are left. cut reports whether it
// shortened them.
func (t *Templates) System(s Session, lean bool, fits func(prompt string) bool) (prompt string, cut bool) {
	of := t.full
	if lean {
		of = t.lean
	}
	chosen := of()
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
	// Load has already executed the template, and writing to a Builder does not fail.
	_ = t.Execute(&b, s)
	return strings.TrimSpace(b.String()) + "\n"
}

// shorten shortens instructions to a number of bytes in total. The most specific instructions are last
// and are shortened last. A note marks the end of a shortened text, so that the model can read the
// rest.
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

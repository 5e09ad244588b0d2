// Package commands finds slash commands that are files: texts to be sent as a message,
// with places for arguments. It reads and never runs anything.
package commands

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/setup/fill"
	"agent/internal/setup/source"

	"github.com/BurntSushi/toml"
)

// Limits of what is read.
const (
	maxFile  = 64 << 10
	maxFiles = 2000
	maxDepth = 6
)

// The folders of commands below a folder of the workspace, and below home.
var (
	projectFolders = []string{".agents/commands", ".claude/commands", ".opencode/command", ".opencode/commands", ".github/prompts", ".gemini/commands"}
	userFolders    = []string{".claude/commands", ".codex/prompts", ".config/opencode/command", ".config/opencode/commands", ".config/crush/commands", ".gemini/commands"}
)

// ending is what the files of a folder of commands end in.
func ending(dir string) string {
	switch filepath.Join(filepath.Base(filepath.Dir(dir)), filepath.Base(dir)) {
	case ".github/prompts":
		return ".prompt.md"
	case ".gemini/commands":
		return ".toml"
	}
	return ".md"
}

// used are the fields that have an effect; others are noted.
var used = []string{"description", "argument-hint", "arguments", "allowed-tools", "name"}

// Command is one command; its name has colons where its path has slashes.
type Command struct {
	source.Entry
	template fill.Template
}

// Found are the commands, by name, what is used of several of one name first, and what
// was left out with the reason.
type Found struct {
	Commands []*Command
	LeftOut  []string
}

// Find reads the commands of a workspace and of the user: the project's precede the
// user's, and those of nearer folders those of farther ones.
func Find(w source.Where) Found {
	files, found := source.Finder{Limit: maxFile}, Found{}
	files.Each(w, projectFolders, "commands", userFolders, func(dir string, from source.Entry) {
		ending := ending(dir)
		each(dir, ending, func(path, name string) {
			files.Read(path, func(text string) error {
				c, err := parse(path, text)
				if err != nil {
					return err
				}
				c.Name = strings.ReplaceAll(strings.ReplaceAll(strings.TrimSuffix(name, ending), "/", ":"), " ", "-")
				c.Origin, c.Own, c.File = from.Origin, from.Own, path
				found.Commands = append(found.Commands, c)
				return nil
			})
		})
	})
	slices.SortStableFunc(found.Commands, func(a, b *Command) int { return strings.Compare(a.Name, b.Name) })
	found.LeftOut = files.LeftOut
	return found
}

// Named returns the command that a name means: the first of that name, or that of an
// origin behind "project:" or "user:".
func (f Found) Named(name string) *Command {
	for _, c := range f.Commands {
		if c.Called(name) {
			return c
		}
	}
	return nil
}

// each calls use with the files below a folder that end so, by path and by name in it.
func each(dir, ending string, use func(path, name string)) {
	files := 0
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		rel, relErr := filepath.Rel(dir, path)
		switch {
		case err != nil || relErr != nil:
			return nil
		case d.IsDir() && strings.Count(rel, string(filepath.Separator)) >= maxDepth:
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(d.Name(), ending):
			return nil
		}
		if files++; files > maxFiles {
			return fs.SkipAll
		}
		use(path, filepath.ToSlash(rel))
		return nil
	})
}

// parse reads a command in Markdown or TOML.
func parse(path, text string) (*Command, error) {
	if strings.HasSuffix(path, ".toml") {
		return parseTOML(text)
	}
	fields, body, _ := source.Frontmatter(text)
	c := &Command{
		Entry:    source.Entry{Description: strings.Join(strings.Fields(fields["description"]), " "), Hint: fields["argument-hint"], Allowed: fields.List("allowed-tools")},
		template: fill.Template{Text: strings.TrimSpace(body), Names: fields.List("arguments")},
	}
	for name := range fields {
		if !slices.Contains(used, name) {
			c.Notes = append(c.Notes, name+" has no effect here")
		}
	}
	slices.Sort(c.Notes)
	if c.template.Text == "" {
		return nil, fmt.Errorf("holds no text")
	}
	if c.Description == "" {
		c.Description = firstLine(c.template.Text)
	}
	return c, nil
}

// parseTOML reads a command of gemini-cli.
func parseTOML(text string) (*Command, error) {
	var fields struct {
		Prompt      string `toml:"prompt"`
		Description string `toml:"description"`
	}
	if _, err := toml.Decode(text, &fields); err != nil {
		return nil, err
	}
	if strings.TrimSpace(fields.Prompt) == "" {
		return nil, fmt.Errorf("has no prompt")
	}
	return &Command{
		Entry:    source.Entry{Description: strings.Join(strings.Fields(fields.Description), " ")},
		template: fill.Template{Text: strings.TrimSpace(fields.Prompt), Braces: true},
	}, nil
}

// firstLine describes a command that does not describe itself.
func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	const most = 80
	if letters := []rune(strings.TrimLeft(line, "# ")); len(letters) > most {
		return string(letters[:most-1]) + "…"
	}
	return strings.TrimLeft(line, "# ")
}

// Fill returns the text of the command with the arguments of a line in it.
func (c *Command) Fill(line string) []fill.Part { return c.template.Fill(line) }

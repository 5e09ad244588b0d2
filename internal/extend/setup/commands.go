package setup

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/base/fsutil"
	"agent/internal/extend/setup/trustedfile"

	"github.com/BurntSushi/toml"
)

// The limits of the search for commands in a folder.
const (
	maxCommands     = 2000
	maxCommandDepth = 6
)

// commandPlaces lists the folders of slash commands in files. Such a command is a text with
// placeholders for arguments, which is sent as a message.
var commandPlaces = places{
	project: []string{".agents/commands", ".claude/commands", ".opencode/command", ".opencode/commands", ".github/prompts", ".gemini/commands"}, own: "commands",
	user:    []string{".claude/commands", ".codex/prompts", ".config/opencode/command", ".config/opencode/commands", ".config/crush/commands", ".gemini/commands"},
	plugin:  func(p trustedfile.Plugin) []string { return p.Commands },
	longest: 64 << 10,
}

// ending returns the extension of the files in a folder of commands.
func ending(dir string) string {
	switch slashed := filepath.ToSlash(dir); {
	case strings.HasSuffix(slashed, ".github/prompts"):
		return ".prompt.md"
	case strings.HasSuffix(slashed, ".gemini/commands"):
		return ".toml"
	}
	return ".md"
}

// usedFields lists the fields of a command that have an effect. Other fields get a note.
var usedFields = []string{"description", "argument-hint", "arguments", "allowed-tools", "name"}

// findCommands reads the commands of a workspace and its user. In the name of a command, colons
// replace the slashes of its path.
func findCommands(w trustedfile.Locations) Listing {
	return find(w, commandPlaces, func(f *finder, dir string) {
		ending, files := ending(dir), 0
		_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			name := fsutil.RelativeBelow(path, dir)
			switch {
			case err != nil:
				return nil
			case d.IsDir() && path != dir && strings.Count(name, "/") >= maxCommandDepth:
				return fs.SkipDir
			case d.IsDir() || !strings.HasSuffix(name, ending):
				return nil
			}
			if files++; files > maxCommands {
				return fs.SkipAll
			}
			f.read(path, func(c *Entry, text string) error {
				c.Name = f.prefix + strings.NewReplacer("/", ":", " ", "-").Replace(strings.TrimSuffix(name, ending))
				if ending == ".toml" {
					return c.fromTOML(text)
				}
				return c.fromMarkdown(text)
			})
			return nil
		})
	})
}

func (e *Entry) fromMarkdown(text string) error {
	fields, body, _ := trustedfile.Frontmatter(text)
	e.describe(fields)
	for name := range fields {
		if !slices.Contains(usedFields, name) {
			e.Notes = append(e.Notes, name+" has no effect here")
		}
	}
	slices.Sort(e.Notes)
	if e.text.Text = strings.TrimSpace(body); e.text.Text == "" {
		return errors.New("contains no text")
	}
	if e.Description == "" {
		e.Description = firstLine(e.text.Text)
	}
	return nil
}

// fromTOML reads a command of gemini-cli.
func (e *Entry) fromTOML(text string) error {
	var fields struct{ Prompt, Description string }
	if _, err := toml.Decode(text, &fields); err != nil {
		return err
	}
	e.Description = oneLine(fields.Description)
	e.text.Text, e.text.Braces = strings.TrimSpace(fields.Prompt), true
	if e.text.Text == "" {
		return errors.New("has no prompt")
	}
	return nil
}

// firstLine returns the first line of a text. It is the description of a command without one.
func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	line = strings.TrimLeft(line, "# ")
	const most = 80
	if letters := []rune(line); len(letters) > most {
		return string(letters[:most-1]) + "…"
	}
	return line
}

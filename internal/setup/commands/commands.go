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

// place is a folder of commands, whose files have an ending.
type place struct{ folder, ending string }

var (
	projectPlaces = []place{
		{".agents/commands", ".md"},
		{".claude/commands", ".md"},
		{".opencode/command", ".md"},
		{".opencode/commands", ".md"},
		{".github/prompts", ".prompt.md"},
		{".gemini/commands", ".toml"},
	}
	// userPlaces are below home.
	userPlaces = []place{
		{".claude/commands", ".md"},
		{".codex/prompts", ".md"},
		{".config/opencode/command", ".md"},
		{".config/opencode/commands", ".md"},
		{".config/crush/commands", ".md"},
		{".gemini/commands", ".toml"},
	}
)

// used are the fields that have an effect; others are noted.
var used = []string{"description", "argument-hint", "arguments", "allowed-tools", "name"}

// Origin is whose command it is.
type Origin string

// The origins.
const (
	Project Origin = "project"
	User    Origin = "user"
)

// Command is one command.
type Command struct {
	// Name has colons where its path has slashes.
	Name, Description, Hint string
	Origin                  Origin
	// Own says that it lies in this program's folder of configuration.
	Own     bool
	File    string
	Allowed []string
	// Notes say what of it has no effect.
	Notes []string

	template fill.Template
}

// Where says where to look. All folders are absolute.
type Where struct {
	// Config is the program's folder of configuration, Home the user's home folder.
	Config, Home, Workspace string
}

// Found are the commands, by name, what is used of several of one name first, and what
// was left out with the reason.
type Found struct {
	Commands []*Command
	LeftOut  []string
}

// Find reads the commands of a workspace and of the user: the project's go before the
// user's, and those of nearer folders before those of farther ones.
func Find(w Where) Found {
	f := &finder{seen: map[string]bool{}}
	project := source.Above(w.Home, w.Workspace)
	f.from = source.Place{Root: project[0], Home: w.Home}
	for _, dir := range slices.Backward(project) {
		for _, p := range projectPlaces {
			f.folder(filepath.Join(dir, filepath.FromSlash(p.folder)), p.ending, Project, false)
		}
	}
	f.from = source.Place{Home: w.Home}
	f.folder(filepath.Join(w.Config, "commands"), ".md", User, true)
	if w.Home != "" {
		for _, p := range userPlaces {
			f.folder(filepath.Join(w.Home, filepath.FromSlash(p.folder)), p.ending, User, false)
		}
	}
	slices.SortStableFunc(f.found.Commands, func(a, b *Command) int { return strings.Compare(a.Name, b.Name) })
	return f.found
}

// Named returns the command that a name means: the first of that name, or that of an
// origin behind "project:" or "user:".
func (f Found) Named(name string) *Command {
	for _, c := range f.Commands {
		if c.Name == name || string(c.Origin)+":"+c.Name == name {
			return c
		}
	}
	return nil
}

type finder struct {
	from  source.Place
	found Found
	seen  map[string]bool
}

// folder reads the commands below a folder.
func (f *finder) folder(dir, ending string, origin Origin, own bool) {
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
		f.file(path, strings.TrimSuffix(filepath.ToSlash(rel), ending), origin, own)
		return nil
	})
}

func (f *finder) file(path, name string, origin Origin, own bool) {
	text, err := f.from.Read(path, maxFile)
	switch {
	case err == nil && f.seen[text.Real]:
		return
	case err == nil && text.Cut:
		err = fmt.Errorf("is longer than 64 KiB")
	}
	var c *Command
	if err == nil {
		f.seen[text.Real] = true
		c, err = parse(path, text.Text)
	}
	if err != nil {
		f.found.LeftOut = append(f.found.LeftOut, path+": "+strings.TrimPrefix(err.Error(), path+": "))
		return
	}
	c.Name, c.Origin, c.Own, c.File = strings.ReplaceAll(strings.ReplaceAll(name, "/", ":"), " ", "-"), origin, own, path
	f.found.Commands = append(f.found.Commands, c)
}

// parse reads a command in Markdown or TOML.
func parse(path, text string) (*Command, error) {
	if strings.HasSuffix(path, ".toml") {
		return parseTOML(text)
	}
	fields, body, _ := source.Frontmatter(text)
	c := &Command{
		Description: strings.Join(strings.Fields(fields["description"]), " "), Hint: fields["argument-hint"], Allowed: fields.List("allowed-tools"),
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
		Description: strings.Join(strings.Fields(fields.Description), " "),
		template:    fill.Template{Text: strings.TrimSpace(fields.Prompt), Braces: true},
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

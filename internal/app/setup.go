package app

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/atcmd"
	"agent/internal/chat"
	"agent/internal/command"
	"agent/internal/history"
	"agent/internal/protect"
	"agent/internal/settings"
	"agent/internal/setup"
	"agent/internal/setup/commands"
	"agent/internal/setup/skills"
	"agent/internal/words"
)

// lookForBrought finds the skills and commands that there are now.
func (c *Conversation) lookForBrought() setup.Set {
	root := c.workspace.Root()
	return setup.Set{
		Skills:   skills.Find(skills.Where{Config: c.folders.Config, Home: c.process.Home, Workspace: root, Further: c.process.skillPaths(c.settings, root)}),
		Commands: commands.Find(commands.Where{Config: c.folders.Config, Home: c.process.Home, Workspace: root}),
	}
}

// skillNews looks for skills and commands again, and names to the model the skills that are
// new or described otherwise: the list in its tool stays as it is.
func (c *Conversation) skillNews() []history.Block {
	if c.options.NoSetup {
		return nil
	}
	before, now := c.Brought(), c.lookForBrought()
	c.brought.Store(&now)
	var lines []string
	for _, s := range now.Skills.Skills {
		known := slices.ContainsFunc(before.Skills.Skills, func(old *skills.Skill) bool {
			return old.File == s.File && old.Name == s.Name && old.Description == s.Description
		})
		if !known && !s.Hidden && !s.Shadowed {
			lines = append(lines, fmt.Sprintf("- %s: %s (%s)", s.Name, s.Description, c.shortPath(s.File)))
		}
	}
	if len(lines) == 0 {
		return nil
	}
	return []history.Block{&history.Text{Text: "skills now also:\n" + strings.Join(lines, "\n"), Source: history.Brought}}
}

// findBrought finds the skills and commands of the workspace and its user.
func (c *Conversation) findBrought() {
	found := c.lookForBrought()
	c.brought.Store(&found)
	var parts []string
	if n := len(c.Brought().Skills.Skills); n > 0 {
		parts = append(parts, words.Count(n, "skill"))
	}
	if n := len(c.Brought().Commands.Commands); n > 0 {
		parts = append(parts, words.Count(n, "command"))
	}
	if len(parts) > 0 {
		c.Notices = append(c.Notices, "Found: "+strings.Join(parts, ", ")+"; /skills and /help list them")
	}
	for _, left := range slices.Concat(c.Brought().Skills.LeftOut, c.Brought().Commands.LeftOut) {
		c.Notices = append(c.Notices, "left out: "+left)
	}
}

// skillPaths are the further folders of skills, absolute.
func (p *Process) skillPaths(s *settings.Settings, workspace string) []string {
	var further []string
	for _, dir := range settings.Items(settings.SkillPaths.Of(s)) {
		if rest, home := strings.CutPrefix(dir, "~/"); home {
			dir = filepath.Join(p.Home, rest)
		}
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(workspace, dir)
		}
		further = append(further, dir)
	}
	return further
}

// expand turns a message into blocks: what was typed, what it calls, what it includes.
func (c *Conversation) expand(ctx context.Context, message atcmd.Message, run chat.Embedded) (atcmd.Expansion, error) {
	c.awaitServers(ctx)
	news := c.skillNews()
	brought, files, err := c.called(ctx, message, func(line string) (string, string, error) { return run(ctx, line) })
	if err != nil {
		return atcmd.Expansion{}, err
	}
	said, err := atcmd.Expand(ctx, append(message[:len(message):len(message)], files...), atcmd.Options{
		Root:      c.workspace.Root(),
		NoImages:  c.Connection.NoImages(settings.Model.Of(c.settings)),
		Shown:     c.env.Seen.Record, // the model may edit what it was shown
		Elsewhere: c.isResource,
		HoldsKeys: func(path string) bool {
			return c.env.Protected.Read(filepath.Join(c.workspace.Root(), path), path).Care != protect.Free
		},
	})
	if err != nil {
		return said, err
	}
	read, err := c.readResources(ctx, &said)
	if err != nil {
		return said, err
	}
	if brought = slices.Concat(brought, read, news, c.changed(), c.serverNews()); len(brought) > 0 {
		said.Blocks = slices.Insert(said.Blocks, 1, brought...)
	}
	return said, nil
}

// called returns the texts of the skills and commands that a message calls, and the files
// that these include.
func (c *Conversation) called(ctx context.Context, message atcmd.Message, run setup.Runner) (brought []history.Block, files atcmd.Message, err error) {
	if message.Leads() != '/' {
		return nil, nil, nil
	}
	var line strings.Builder
	for _, part := range message {
		if part.Source != history.Piped {
			line.WriteString(part.Text)
		}
	}
	if prompt, is, err := c.prompt(ctx, line.String()); is {
		return prompt, nil, err
	}
	calls := c.Brought().Calls(line.String())
	if len(calls) == 0 {
		review, err := c.reviewed(ctx, line.String())
		return review, nil, err
	}
	for _, call := range calls {
		c.lend(call.Entry)
		text, included, err := call.Text(run)
		if err != nil {
			return nil, nil, fmt.Errorf("/%s: %w", call.Name, err)
		}
		brought = append(brought, &history.Text{Text: text, Source: history.Brought, Key: call.Key()})
		for _, file := range included {
			files = append(files, atcmd.Part{File: file})
		}
	}
	return brought, files, nil
}

// callable lists what can be called, for people.
func (c *Conversation) callable() []command.Callable {
	var all []command.Callable
	for _, e := range c.Brought().Entries() {
		all = append(all, command.Callable{Name: e.Name, Help: words.Line(e.Description(), maxHelp), Hint: e.Hint(), File: c.shortPath(e.File()), Origin: e.Origin()})
	}
	if !slices.ContainsFunc(all, func(one command.Callable) bool { return one.Name == reviewName }) {
		all = append(all, reviewCallable)
	}
	return append(all, c.callablePrompts()...)
}

// maxHelp bounds what a list shows of a description, in characters.
const maxHelp = 100

// skillLines describes the skills for /skills.
func (c *Conversation) skillLines() []string {
	var lines []string
	for _, s := range c.Brought().Skills.Skills {
		name := "/" + s.Name
		if s.Shadowed {
			name = "/" + string(s.Origin) + ":" + s.Name
		}
		lines = append(lines, fmt.Sprintf("%s  %s, %s", name, s.Origin, c.shortPath(s.File)), "    "+words.Line(s.Description, maxHelp))
		for _, note := range s.Notes {
			lines = append(lines, "    note: "+note)
		}
	}
	for _, left := range c.Brought().Skills.LeftOut {
		lines = append(lines, "left out: "+left)
	}
	return lines
}

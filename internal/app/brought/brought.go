// Package brought has what people and repositories bring to a conversation: instructions,
// skills, commands, the review of a change, and what a message that calls them becomes.
package brought

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"agent/internal/app/gates"
	"agent/internal/app/serving"
	"agent/internal/atcmd"
	"agent/internal/chat"
	"agent/internal/command"
	"agent/internal/disk"
	"agent/internal/history"
	"agent/internal/settings"
	"agent/internal/setup"
	"agent/internal/setup/instructions"
	"agent/internal/setup/source"
	"agent/internal/tools"
	"agent/internal/words"
	"agent/prompts"
)

// Config is what is brought to a conversation depends on.
type Config struct {
	*gates.Host
	// Off leaves out all but what is called of servers.
	Off     bool
	Rules   *gates.Rules
	Servers *serving.Servers
	// Window is the size of the model's window, in tokens.
	Window func() int
	// NoImages says why the model in use takes no images, "" where it takes them.
	NoImages func() string
	Log      *slog.Logger
}

// Brought is what people and repositories have brought to a conversation: instructions, and
// skills and commands that can be called.
type Brought struct {
	Config
	set atomic.Pointer[setup.Set]
	// tool is the one for skills, if there is one, and made counts how often it was.
	tool atomic.Pointer[[]tools.Tool]
	made atomic.Uint64
	// said are the notices of heads that were given.
	said []string
	// head are the instructions that the head was made of, by file.
	head []prompts.Instruction
	// inHead are the instructions that the model was given with the head or since.
	inHead []instructions.File
	// most is how long all instructions may be together, in bytes, by the window of the
	// start.
	most int
}

// Set are the skills and commands that can be called.
func (b *Brought) Set() setup.Set {
	if found := b.set.Load(); found != nil {
		return *found
	}
	return setup.Set{}
}

// find finds the skills and commands that there are now.
func (b *Brought) find() setup.Set { return setup.Find(b.Where, SkillPaths(b.Settings, b.Where)) }

// skillNews looks for skills and commands again, and names to the model the skills that are
// new or described otherwise: the list in its tool stays as it is.
func (b *Brought) skillNews() []history.Block {
	if b.Off {
		return nil
	}
	before, now := b.Set(), b.find()
	b.set.Store(&now)
	var lines []string
	for _, s := range now.Skills.Entries {
		known := slices.ContainsFunc(before.Skills.Entries, func(old *setup.Entry) bool {
			return old.File == s.File && old.Name == s.Name && old.Description == s.Description
		})
		if !known && s.ForModel() {
			lines = append(lines, fmt.Sprintf("- %s: %s (%s)", s.Name, s.Description, b.Env.Workspace.Rel(s.File)))
		}
	}
	if len(lines) == 0 {
		return nil
	}
	return []history.Block{&history.Text{Text: "skills now also:\n" + strings.Join(lines, "\n"), Source: history.Brought}}
}

// Begin finds the skills and commands of the workspace and its user, and makes the tool for
// skills. The notices are for the person.
func (b *Brought) Begin(c Config) (notices []string) {
	b.Config = c
	if b.Off {
		return nil
	}
	found := b.find()
	b.set.Store(&found)
	var parts []string
	if n := len(found.Skills.Entries); n > 0 {
		parts = append(parts, words.Count(n, "skill"))
	}
	if n := len(found.Commands.Entries); n > 0 {
		parts = append(parts, words.Count(n, "command"))
	}
	if len(parts) > 0 {
		notices = append(notices, "Found: "+strings.Join(parts, ", ")+"; /skills and /help list them")
	}
	for _, left := range slices.Concat(found.Skills.LeftOut, found.Commands.LeftOut) {
		notices = append(notices, "left out: "+left)
	}
	notices = append(notices, b.voidRules(found)...)
	for _, s := range found.Skills.Entries {
		b.Env.Workspace.Look(s.Dir)
		b.Env.Protected.Open = append(b.Env.Protected.Open, disk.Real(s.Dir))
	}
	return append(notices, b.unsaid(b.offerSkills())...)
}

// SkillPaths are the further folders of skills, absolute.
func SkillPaths(s *settings.Settings, w source.Where) []string {
	return settings.Paths(settings.SkillPaths.Of(s), w.Home, w.Workspace)
}

// Expand turns a message into blocks: what was typed, what it calls, what it includes.
func (b *Brought) Expand(ctx context.Context, message atcmd.Message, run chat.Embedded) (atcmd.Expansion, error) {
	b.Servers.Await(ctx)
	news := b.skillNews()
	brought, files, err := b.called(ctx, message, func(line string) (string, string, error) { return run(ctx, line) })
	if err != nil {
		return atcmd.Expansion{}, err
	}
	said, err := atcmd.Expand(ctx, append(message[:len(message):len(message)], files...), atcmd.Options{
		Root:      b.Env.Workspace.Root(),
		NoImages:  b.NoImages(),
		Shown:     b.Env.Seen.Record, // the model may edit what it was shown
		Elsewhere: b.Servers.IsResource,
		Kept: func(path string) (why string, denied bool) {
			found := b.Env.Protected.Read(filepath.Join(b.Env.Workspace.Root(), path), path)
			return found.Why, found.Denied
		},
	})
	if err != nil {
		return said, err
	}
	read, err := b.Servers.ReadResources(ctx, &said)
	if err != nil {
		return said, err
	}
	if brought = slices.Concat(brought, read, news, b.changed(), b.Servers.News()); len(brought) > 0 {
		said.Blocks = slices.Insert(said.Blocks, 1, brought...)
	}
	return said, nil
}

// called returns the texts of the skills and commands that a message calls, and the files
// that these include.
func (b *Brought) called(ctx context.Context, message atcmd.Message, run setup.Runner) (brought []history.Block, files atcmd.Message, err error) {
	if message.Leads() != '/' {
		return nil, nil, nil
	}
	var line strings.Builder
	for _, part := range message {
		if part.Source != history.Piped {
			line.WriteString(part.Text)
		}
	}
	if prompt, is, err := b.Servers.Prompt(ctx, line.String()); is {
		return prompt, nil, err
	}
	calls := b.Set().Calls(line.String())
	if len(calls) == 0 {
		review, err := b.reviewed(ctx, line.String())
		return review, nil, err
	}
	for _, call := range calls {
		b.lend(call.Entry)
		text, included, err := call.Text(run)
		if err != nil {
			return nil, nil, fmt.Errorf("/%s: %w", call.As, err)
		}
		brought = append(brought, &history.Text{Text: text, Source: history.Brought, Key: call.Key()})
		for _, file := range included {
			files = append(files, atcmd.Part{File: file})
		}
	}
	return brought, files, nil
}

// Callable lists what can be called, for people.
func (b *Brought) Callable() []command.Callable {
	var all []command.Callable
	for _, e := range b.Set().Callable() {
		all = append(all, command.Callable{Name: e.As, Help: words.Line(e.Description, command.MaxHelp), Hint: e.Hint, File: b.Env.Workspace.Rel(e.File), Origin: string(e.Origin)})
	}
	if !slices.ContainsFunc(all, func(one command.Callable) bool { return one.Name == reviewName }) {
		all = append(all, reviewCallable)
	}
	return append(all, b.Servers.Prompts()...)
}

// SkillLines describes the skills for /skills.
func (b *Brought) SkillLines() []string {
	var lines []string
	for _, s := range b.Set().Skills.Entries {
		name := "/" + s.Name
		if s.Shadowed {
			name = "/" + string(s.Origin) + ":" + s.Name
		}
		lines = append(lines, fmt.Sprintf("%s  %s, %s", name, s.Origin, b.Env.Workspace.Rel(s.File)), "    "+words.Line(s.Description, command.MaxHelp))
		for _, note := range s.Notes {
			lines = append(lines, "    note: "+note)
		}
	}
	for _, left := range b.Set().Skills.LeftOut {
		lines = append(lines, "left out: "+left)
	}
	return lines
}

// Package extensions loads the instructions, skills and commands of a conversation, and the built-in review
// of a change. It also turns a typed message that calls them into the blocks that the model reads.
package extensions

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"agent/internal/app/hookgates"
	"agent/internal/app/mcphost"
	"agent/internal/atcmd"
	"agent/internal/base/humanize"
	"agent/internal/chat"
	"agent/internal/command"
	"agent/internal/extend/setup"
	"agent/internal/extend/setup/consent"
	"agent/internal/extend/setup/instructions"
	"agent/internal/extend/setup/trustedfile"
	"agent/internal/history"
	"agent/internal/protect"
	"agent/internal/settings"
	"agent/internal/tools"
	"agent/prompts"
)

// Config holds the dependencies of Extensions.
type Config struct {
	Settings *settings.Settings
	// Where holds the configuration folders, without symbolic links.
	Where trustedfile.Locations
	Env   *tools.Env
	// Lend allows the calls that the rules of a skill or command match, until the end of the turn. Trust
	// holds the user's decisions about these rules.
	Lend  func(rules []string)
	Trust *consent.Trust
	// Off is set if instructions, skills and commands are omitted. Servers are used nevertheless.
	Off     bool
	Rules   *hookgates.Rules
	Servers *mcphost.Servers
	// News returns messages for the model that have not been sent yet.
	News func() []history.Block
	// Window returns the size of the model's context window, in tokens.
	Window func() int
	// NoImages returns the reason why the model in use accepts no images, or "" if it accepts them.
	NoImages func() string
	// Environ returns the environment that commands see, as "KEY=value".
	Environ func() []string
	// Unattended is set if no user can answer an approval prompt.
	Unattended bool
	Log        *slog.Logger
}

// Extensions holds the instructions, skills and commands of a conversation.
type Extensions struct {
	Config
	set atomic.Pointer[setup.Set]
	// reviewed is the diff of the latest review.
	reviewed atomic.Pointer[string]
	// tool holds the tool for skills, or no tool.
	tool atomic.Pointer[[]tools.Tool]
	// toolRevision counts how often tool was set.
	toolRevision atomic.Uint64
	// shownNotices are the notices that the user has already seen.
	shownNotices []string
	// head holds the instructions in the system prompt, by file.
	head []prompts.Instruction
	// modelTexts holds the instructions that the model has received, in the system prompt or later.
	modelTexts []instructions.File
	// mostBytes limits the length of all instructions together. It is derived from the context window at
	// the start.
	mostBytes int
}

// Set returns the skills and commands that can be called.
func (b *Extensions) Set() setup.Set { return *b.set.Load() }

// find reads the skills and commands that exist now.
func (b *Extensions) find() setup.Set { return setup.Find(b.Where, SkillPaths(b.Settings, b.Where)) }

// skillNews reads the skills and commands again. It returns a message to the model about skills that are
// new or have a new description. The list in the skill tool stays the same, so that the provider's cache
// stays valid.
func (b *Extensions) skillNews() []history.Block {
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
		if !known && s.IsForModel() {
			lines = append(lines, fmt.Sprintf("- %s: %s (%s)", s.Name, s.Description, b.Env.Workspace.Rel(s.File)))
		}
	}
	if len(lines) == 0 {
		return nil
	}
	return []history.Block{&history.Text{Text: "skills now also:\n" + strings.Join(lines, "\n"), Source: history.SourceExtension}}
}

// New returns the extensions of a conversation: the skills and commands that were found, and the tool for
// skills. Head adds the instructions. New returns notices for the user.
func New(c Config, found setup.Set) (b *Extensions, notices []string) {
	b = &Extensions{Config: c}
	b.set.Store(&found)
	if b.Off {
		return b, nil
	}
	var parts []string
	if n := len(found.Skills.Entries); n > 0 {
		parts = append(parts, humanize.Count(n, "skill"))
	}
	if n := len(found.Commands.Entries); n > 0 {
		parts = append(parts, humanize.Count(n, "command"))
	}
	if len(parts) > 0 {
		notices = append(notices, "Found: "+strings.Join(parts, ", ")+"; /skills and /help list them")
	}
	for _, left := range slices.Concat(found.Skills.Skipped, found.Commands.Skipped) {
		notices = append(notices, "left out: "+left)
	}
	notices = append(notices, b.voidRules(found)...)
	return b, append(notices, b.newNotices(b.offerSkills())...)
}

// SkillPaths returns the absolute paths of the additional skill folders in the settings.
func SkillPaths(s *settings.Settings, w trustedfile.Locations) []string {
	return settings.Paths(settings.SkillPaths.Value(s), w.Home, w.Workspace)
}

// Expand turns a message into blocks. They contain the typed text, the texts of the skills, commands and
// prompts that it calls, and the files and resources that it includes. If the message calls a review, a
// subagent runs the review if there is one.
func (b *Extensions) Expand(ctx context.Context, message atcmd.Message, run chat.RunEmbedded, agent Agent) (atcmd.Expansion, error) {
	b.Servers.WaitReady(ctx)
	news := b.skillNews()
	called, err := b.callTexts(ctx, message, run, agent)
	if err != nil {
		return atcmd.Expansion{}, err
	}
	options := b.mentions()
	options.Shown = b.Env.Seen.Record // the model may edit the files in the message
	options.PDF = b.pdf
	expansion, err := atcmd.Expand(ctx, append(message[:len(message):len(message)], called.files...), options)
	if err != nil {
		return expansion, err
	}
	resources, err := b.Servers.ReadResources(ctx, &expansion)
	if err != nil {
		return expansion, err
	}
	expansion.Reply = called.reply
	if called.notice != "" {
		b.Servers.Tell(called.notice)
	}
	if blocks := slices.Concat(called.blocks, resources, news, b.changes(), b.News()); len(blocks) > 0 {
		expansion.Blocks = slices.Insert(expansion.Blocks, 1, blocks...)
	}
	return expansion, nil
}

// Foresee returns the blocks that a message would have, with its files. It marks no file as seen and runs
// no command. For a message that cannot be sent yet, it returns only the text.
func (b *Extensions) Foresee(ctx context.Context, typed string) []history.Block {
	expansion, err := atcmd.Expand(ctx, atcmd.TypedMessage(typed), b.mentions())
	if err != nil {
		return []history.Block{&history.Text{Text: typed}}
	}
	return expansion.Blocks
}

// mentions returns the options for reading a message without running commands or marking files as
// seen. Expand adds the other options.
func (b *Extensions) mentions() atcmd.Options {
	return atcmd.Options{Root: b.Env.Workspace.Root(), NoImages: b.NoImages(), Kept: b.withheldReason, Unattended: b.Unattended, Elsewhere: b.Servers.IsResource}
}

// withheldReason returns the reason why a file is sent only if the user names it, or "" if there is none.
// denied reports whether a rule forbids it.
func (b *Extensions) withheldReason(path string) (why string, denied bool) {
	file := b.Env.Protected.Read(filepath.Join(b.Env.Workspace.Root(), path), path)
	if file.Protection == protect.Unprotected || b.Rules.IsAllowedByName(file) {
		return "", false
	}
	return file.Why, file.Denied
}

// pdf returns the text of a PDF, or of some of its pages, for a message. The text equals the answer of
// read_file.
func (b *Extensions) pdf(ctx context.Context, name string, content []byte, pages atcmd.PageRange) (text string, whole bool, err error) {
	if b.Env.SendsPDF(content, pages.First, pages.Count) {
		return "", true, nil
	}
	text, _, err = b.Env.PDFText(ctx, name, content, pages.First, pages.Count, atcmd.MaxFileBytes)
	return text, false, err
}

// called holds the parts that skills, commands, prompts or the review add to a message. reply replaces the
// reply of the model, and notice is for the user.
type called struct {
	blocks []history.Block
	files  atcmd.Message
	notice string
	reply  func(context.Context) (string, error)
}

// callTexts returns the texts of the skills, commands and prompts that a message calls, with the files that
// these texts include. If the message calls the review, it returns the review.
func (b *Extensions) callTexts(ctx context.Context, message atcmd.Message, run chat.RunEmbedded, agent Agent) (of called, err error) {
	if message.FirstTypedByte() != '/' {
		return of, nil
	}
	var line strings.Builder
	for _, part := range message {
		if part.Source != history.SourcePiped {
			line.WriteString(part.Text)
		}
	}
	if prompt, is, err := b.Servers.Prompt(ctx, line.String()); is {
		return called{blocks: prompt}, err
	}
	calls := b.Set().Calls(line.String())
	if len(calls) == 0 {
		return of, b.review(ctx, line.String(), run, agent, &of)
	}
	for _, call := range calls {
		b.lendRules(call.Entry)
		text, included, err := call.Text(func(line string) (string, string, error) { return run(ctx, line, "") })
		if err != nil {
			return of, fmt.Errorf("/%s: %w", call.As, err)
		}
		of.blocks = append(of.blocks, &history.Text{Text: text, Source: history.SourceExtension, Key: call.Key()})
		for _, file := range included {
			of.files = append(of.files, atcmd.Part{File: file})
		}
	}
	return of, nil
}

// Callable returns the commands, skills and prompts that a user can call.
func (b *Extensions) Callable() []command.Callable {
	var all []command.Callable
	for _, e := range b.Set().Callable() {
		all = append(all, command.Callable{Name: e.As, Help: humanize.Line(e.Entry.Description, command.MaxHelp), Hint: e.Entry.Hint, File: b.Env.Workspace.Rel(e.Entry.File), Origin: string(e.Entry.Origin)})
	}
	if !slices.ContainsFunc(all, func(one command.Callable) bool { return one.Name == reviewName }) {
		all = append(all, reviewCallable)
	}
	return append(all, b.Servers.Prompts()...)
}

// SkillLines describes the skills for /skills.
func (b *Extensions) SkillLines() []string {
	var lines []string
	for _, s := range b.Set().Skills.Entries {
		name := "/" + s.Name
		if s.Shadowed {
			name = "/" + string(s.Origin) + ":" + s.Name
		}
		lines = append(lines, fmt.Sprintf("%s  %s, %s", name, s.Origin, b.Env.Workspace.Rel(s.File)), "    "+humanize.Line(s.Description, command.MaxHelp))
		for _, note := range s.Notes {
			lines = append(lines, "    note: "+note)
		}
	}
	for _, left := range b.Set().Skills.Skipped {
		lines = append(lines, "left out: "+left)
	}
	return lines
}

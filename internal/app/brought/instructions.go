package brought

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/chat"
	"agent/internal/disk"
	"agent/internal/history"
	"agent/internal/settings"
	"agent/internal/setup/instructions"
	"agent/internal/setup/source"
	"agent/internal/text/textdiff"
	"agent/prompts"
)

// instructionShare is the part of the window that instructions may take: a tenth.
const instructionShare = 10

// places says where files with instructions are looked for.
func (b *Brought) places() instructions.Where {
	return instructions.Where{
		Where: b.Where,
		Files: settings.Items(settings.InstructionFiles.Of(b.Settings)),
		Most:  b.most,
		Kept: func(abs string) string {
			return b.Env.Protected.Read(abs, b.Env.Workspace.Rel(abs)).Why
		},
	}
}

// Head chooses the instructions for the head; later ones are differences to them. The
// notices are for the person.
func (b *Brought) Head() (notices []string) {
	b.most = b.Window() / instructionShare * bytesPerToken
	found := b.instructions()
	var files []string
	b.head, b.inHead = nil, found.Files
	for _, file := range found.Files {
		b.head = append(b.head, prompts.Instruction{Source: file.Path, Text: file.Text})
		files = append(files, b.Env.Workspace.Rel(file.Path))
	}
	if len(files) > 0 {
		notices = append(notices, "Instructions: "+strings.Join(files, ", "))
	}
	for _, problem := range found.Problems {
		notices = append(notices, problem.Error())
	}
	if name := settings.OutputStyle.Of(b.Settings); name != "" && !b.Off {
		text, err := b.style(name)
		if err != nil {
			return b.unsaid(append(notices, "output-style "+err.Error()))
		}
		b.head = append(b.head, prompts.Instruction{Source: "the output style " + name, Text: text})
	}
	return b.unsaid(notices)
}

// Instructions are those of the head.
func (b *Brought) Instructions() []prompts.Instruction { return b.head }

// mostStyle bounds an output style, in bytes.
const mostStyle = 64 << 10

// style is how the person wants answers, by the name of a file of theirs or of Claude Code's.
func (b *Brought) style(name string) (string, error) {
	folders := []string{filepath.Join(b.Where.Config, "output-styles"), filepath.Join(b.Home, ".claude", "output-styles")}
	if name != filepath.Base(name) {
		return "", fmt.Errorf("%s: it must be the name of a file in %s, without .md", name, folders[0])
	}
	for _, folder := range folders {
		text, err := source.Place{Home: b.Home}.Read(filepath.Join(folder, name+".md"), mostStyle)
		if source.Missing(err) {
			continue
		}
		if err != nil {
			return "", err
		}
		if _, body, has := source.Frontmatter(text.Text); has {
			text.Text = body
		}
		return strings.TrimSpace(text.Text), nil
	}
	return "", fmt.Errorf("%s: there is no %s.md in %s", name, name, strings.Join(folders, " or "))
}

// Refreeze has the head follow what has changed: it is called where the provider's cache of
// it is lost anyway. The notices are those that were not given before.
func (b *Brought) Refreeze() (notices []string) {
	if notices = b.Head(); !b.Off {
		found := b.find()
		b.set.Store(&found)
		notices = append(notices, b.unsaid(b.offerSkills())...)
	}
	b.Servers.Refreeze()
	return notices
}

// unsaid returns the notices that were not given before.
func (b *Brought) unsaid(notices []string) []string {
	fresh := slices.DeleteFunc(notices, func(notice string) bool { return slices.Contains(b.said, notice) })
	b.said = append(b.said, fresh...)
	return fresh
}

// changedText says what a file with instructions says now: as a difference to what the head
// has of it where that is shorter, else whole. Each difference is to the head, so that the
// newest by itself says all.
func (b *Brought) changedText(file instructions.File, whole string) string {
	if i := slices.IndexFunc(b.head, func(has prompts.Instruction) bool { return has.Source == file.Path }); i >= 0 {
		difference := textdiff.New(b.head[i].Text, file.Text).Unified("instructions", "instructions")
		if difference != "" && len(difference) < len(whole)/2 {
			return fmt.Sprintf("The instructions of %s have changed since the beginning, and hold with this difference:\n%s", b.Env.Workspace.Rel(file.Path), difference)
		}
	}
	return "These instructions have changed and hold as they are now:\n" + whole
}

// instructions finds the instructions of the workspace and its user.
func (b *Brought) instructions() instructions.Found {
	if b.Off {
		return instructions.Found{}
	}
	return instructions.Find(b.places())
}

// marked is a file with instructions as a block of a conversation.
func (b *Brought) marked(file instructions.File) chat.Nested {
	text := strings.ReplaceAll(file.Text, "</instructions", `<\/instructions`)
	return chat.Nested{
		Key:  "instructions:" + file.Path,
		Text: fmt.Sprintf("<instructions path=%q>\n%s\n</instructions>", b.Env.Workspace.Rel(file.Path), text),
	}
}

// Below returns the instructions of the folders on the way to a file, and the rules that
// hold for it. What the head has is not given again.
func (b *Brought) Below(file string) []chat.Nested {
	abs := b.Absolute(filepath.FromSlash(file))
	root := b.Env.Workspace.Root()
	if b.Off || !disk.Within(abs, root) || abs == root {
		return nil
	}
	rel, err := filepath.Rel(root, abs)
	if err != nil {
		return nil
	}
	var nested []chat.Nested
	for _, found := range instructions.Below(b.places(), filepath.ToSlash(rel)).Files {
		if !b.given(found) {
			nested = append(nested, b.marked(found))
		}
	}
	return nested
}

// given reports whether the head has a text.
func (b *Brought) given(file instructions.File) bool {
	return slices.ContainsFunc(b.inHead, func(has instructions.File) bool { return has.Text == file.Text })
}

// changed returns the instructions of the workspace that have changed since the model was
// given them, and remembers them.
func (b *Brought) changed() []history.Block {
	var blocks []history.Block
	for _, file := range b.instructions().Files {
		if b.given(file) {
			continue
		}
		n := b.marked(file)
		blocks = append(blocks, &history.Text{Text: b.changedText(file, n.Text), Source: history.Brought, Key: n.Key})
		others := slices.DeleteFunc(b.inHead, func(has instructions.File) bool { return has.Path == file.Path })
		b.inHead = append(others, file)
	}
	return blocks
}

// InstructionLines lists the instructions for /instructions: what is read, with its size,
// and what is not, with the reason.
func (b *Brought) InstructionLines() []string {
	found := b.instructions()
	var lines []string
	for _, file := range found.Files {
		lines = append(lines, fmt.Sprintf("%s  about %d tokens", b.Env.Workspace.Rel(file.Path), len(file.Text)/bytesPerToken))
	}
	for _, unread := range found.Unread {
		lines = append(lines, "not read: "+unread)
	}
	for _, problem := range found.Problems {
		lines = append(lines, "not read: "+problem.Error())
	}
	return lines
}

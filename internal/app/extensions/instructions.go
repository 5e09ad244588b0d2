package extensions

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/base/fsutil"
	"agent/internal/chat"
	"agent/internal/extend/setup/instructions"
	"agent/internal/extend/setup/trustedfile"
	"agent/internal/history"
	"agent/internal/settings"
	"agent/internal/text/textdiff"
	"agent/prompts"
)

// instructionShare is the divisor of the context window that limits all instructions together: a tenth.
const instructionShare = 10

// places returns the folders and the limits for the search of instructions.
func (b *Extensions) places() instructions.Locations {
	return instructions.Locations{
		Locations: b.Where,
		Files:     settings.SplitItems(settings.InstructionFiles.Value(b.Settings)),
		Most:      b.mostBytes,
		Withhold: func(abs string) string {
			return b.Env.Protected.Read(abs, b.Env.Workspace.Rel(abs)).Why
		},
	}
}

// ChooseInstructions chooses the instructions for the system prompt. Later changes are sent as differences from them.
// Head returns notices for the user.
func (b *Extensions) ChooseInstructions() (notices []string) {
	b.mostBytes = b.Window() / instructionShare * bytesPerToken
	found := b.instructions()
	var files []string
	b.head, b.modelTexts = nil, found.Files
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
	if name := settings.OutputStyle.Value(b.Settings); name != "" && !b.Off {
		text, err := b.style(name)
		if err != nil {
			return b.newNotices(append(notices, "output-style "+err.Error()))
		}
		b.head = append(b.head, prompts.Instruction{Source: "the output style " + name, Text: text})
	}
	return b.newNotices(notices)
}

// Instructions returns the instructions in the system prompt.
func (b *Extensions) Instructions() []prompts.Instruction { return b.head }

// mostStyle limits the length of an output style, in bytes.
const mostStyle = 64 << 10

// style returns the text of an output style from a file in the user's styles folder, or in Claude Code's.
func (b *Extensions) style(name string) (string, error) {
	folders := []string{filepath.Join(b.Where.Config, "output-styles"), filepath.Join(b.Where.Home, ".claude", "output-styles")}
	if name != filepath.Base(name) {
		return "", fmt.Errorf("%s: must be the name of a file in %s, without .md", name, folders[0])
	}
	for _, folder := range folders {
		text, err := trustedfile.ReadScope{Home: b.Where.Home}.Read(filepath.Join(folder, name+".md"), mostStyle)
		if trustedfile.IsMissing(err) {
			continue
		}
		if err != nil {
			return "", err
		}
		if _, body, has := trustedfile.Frontmatter(text.Text); has {
			text.Text = body
		}
		return strings.TrimSpace(text.Text), nil
	}
	return "", fmt.Errorf("%s: there is no %s.md in %s", name, name, strings.Join(folders, " or "))
}

// Refreeze updates the system prompt to the current instructions and skills. Callers use it when the
// provider's cache of the prefix is lost anyway. It returns the new notices.
func (b *Extensions) Refreeze() (notices []string) {
	if notices = b.ChooseInstructions(); !b.Off {
		found := b.find()
		b.set.Store(&found)
		notices = append(notices, b.newNotices(b.offerSkills())...)
	}
	b.Servers.Refreeze()
	return notices
}

// newNotices returns the notices that the user has not seen, and marks them as seen.
func (b *Extensions) newNotices(notices []string) []string {
	fresh := slices.DeleteFunc(notices, func(notice string) bool { return slices.Contains(b.shownNotices, notice) })
	b.shownNotices = append(b.shownNotices, fresh...)
	return fresh
}

// changedText returns the message about a changed file of instructions: the shorter of the difference and
// the whole text. The difference is always from the text in the system prompt, so that the latest message
// is enough.
func (b *Extensions) changedText(file instructions.File, whole string) string {
	if i := slices.IndexFunc(b.head, func(has prompts.Instruction) bool { return has.Source == file.Path }); i >= 0 {
		difference := textdiff.New(b.head[i].Text, file.Text).Unified("instructions", "instructions")
		if difference != "" && len(difference) < len(whole)/2 {
			return fmt.Sprintf("The instructions of %s have changed since the start of the session. This difference applies:\n%s", b.Env.Workspace.Rel(file.Path), difference)
		}
	}
	return "These instructions have changed. The current text applies:\n" + whole
}

// instructions reads the instructions of the workspace and its user.
func (b *Extensions) instructions() instructions.Listing {
	if b.Off {
		return instructions.Listing{}
	}
	return instructions.Find(b.places())
}

// nested returns a file of instructions as a marked block of a conversation.
func (b *Extensions) nested(file instructions.File) chat.NestedInstructions {
	text := strings.ReplaceAll(file.Text, "</instructions", `<\/instructions`)
	return chat.NestedInstructions{
		Key:  "instructions:" + file.Path,
		Text: fmt.Sprintf("<instructions path=%q>\n%s\n</instructions>", b.Env.Workspace.Rel(file.Path), text),
	}
}

// NestedInstructions returns the instructions in the folders between the workspace and a file, and the rules
// that apply to the file. It omits texts that the model has already received.
func (b *Extensions) NestedInstructions(file string) []chat.NestedInstructions {
	root := b.Env.Workspace.Root()
	abs := b.Env.Workspace.DiskPath(fsutil.ResolveIn(root, filepath.FromSlash(file)))
	if b.Off || !fsutil.Within(abs, root) || abs == root {
		return nil
	}
	rel, err := filepath.Rel(root, abs)
	if err != nil {
		return nil
	}
	var nested []chat.NestedInstructions
	for _, below := range instructions.FindNested(b.places(), filepath.ToSlash(rel)).Files {
		if !b.modelHas(below) {
			nested = append(nested, b.nested(below))
		}
	}
	return nested
}

// modelHas reports whether the model has received a text, in the system prompt or later.
func (b *Extensions) modelHas(file instructions.File) bool {
	return slices.ContainsFunc(b.modelTexts, func(has instructions.File) bool { return has.Text == file.Text })
}

// changes returns messages about the instructions of the workspace that have changed since the model
// received them. It marks the new texts as received.
func (b *Extensions) changes() []history.Block {
	var blocks []history.Block
	for _, file := range b.instructions().Files {
		if b.modelHas(file) {
			continue
		}
		n := b.nested(file)
		blocks = append(blocks, &history.Text{Text: b.changedText(file, n.Text), Source: history.SourceExtension, Key: n.Key, Own: b.isOwn(file.Path)})
		others := slices.DeleteFunc(b.modelTexts, func(has instructions.File) bool { return has.Path == file.Path })
		b.modelTexts = append(others, file)
	}
	return blocks
}

// isOwn reports whether a file belongs to the user's instructions for all projects.
func (b *Extensions) isOwn(file string) bool {
	return fsutil.Within(file, b.Where.Config) && !fsutil.Within(file, b.Env.Workspace.Root())
}

// InstructionLines lists the instructions for /instructions: the files in use with their sizes,
// and the unused ones with the reasons.
func (b *Extensions) InstructionLines() []string {
	found := b.instructions()
	var lines []string
	for _, file := range found.Files {
		lines = append(lines, fmt.Sprintf("%s  about %d tokens", b.Env.Workspace.Rel(file.Path), len(file.Text)/bytesPerToken))
	}
	lines = append(lines, found.Unread...)
	for _, problem := range found.Problems {
		lines = append(lines, "not read: "+problem.Error())
	}
	return lines
}

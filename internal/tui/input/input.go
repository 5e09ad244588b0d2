// Package input is the prompt on the screen: the typed text, pasted texts, earlier prompts, and the
// proposals under it. It sends nothing. The screen sends the result of Message.
package input

import (
	"context"
	"slices"
	"strings"
	"time"

	"agent/internal/atcmd"
	"agent/internal/command"
	"agent/internal/picture"
	"agent/internal/tui/edit"
	"agent/internal/tui/edit/vim"
	"agent/internal/tui/term"
)

// Files proposes files of the workspace. Its methods may be called from any goroutine.
type Files interface {
	// Complete returns, without waiting, the proposals for an @ and the text typed after it, best first.
	// whole is false while more proposals may follow.
	Complete(typed string) (proposals []atcmd.Mention, whole bool)
	// WaitListed returns once there can be no more proposals, or ctx ends.
	WaitListed(ctx context.Context)
}

// Sources are the sources of proposals; both may be nil.
type Sources struct {
	Commands command.Runner
	Files    Files
}

// Input is the prompt. It belongs to one goroutine.
type Input struct {
	Editor  edit.Editor
	ctx     context.Context
	sources Sources
	popup   popup
	// Vim is the state of the Vim keys.
	Vim vim.State
	// Prompts holds the earlier prompts.
	Prompts edit.Prompts
	// Typed is the time at which the user last typed in the message. It is the zero time if the user has
	// not typed.
	Typed time.Time
}

// New returns an empty prompt. Its commands that wait for completions stop when ctx ends.
func New(ctx context.Context, sources Sources) Input {
	return Input{ctx: ctx, sources: sources, popup: popup{selected: -1}}
}

// Type inserts typed text. text is empty for a key without a meaning.
func (in *Input) Type(text string, now time.Time) {
	in.changing(now, func() { in.Editor.Key("", text) })
}

// Do runs an action of the editor by its name.
func (in *Input) Do(action string, now time.Time) {
	in.changing(now, func() { in.Editor.Do(action) })
}

// VimKey handles a key in Vim mode, and returns the action of the prompt for the key. taken is false for a
// key without a meaning in Vim.
func (in *Input) VimKey(k term.Key, now time.Time) (action string, taken bool) {
	in.changing(now, func() { action, taken = in.Vim.Key(&in.Editor, k.Name, k.Text) })
	if taken {
		in.popup.close()
	}
	return action, taken
}

func (in *Input) changing(now time.Time, change func()) {
	before := in.Editor.Text
	change()
	in.Typed = now
	if in.Editor.Text != before {
		in.Prompts.EndBrowsing()
	}
}

// Paste inserts pasted text at the cursor. If the text consists of paths of images, it inserts the images.
func (in *Input) Paste(text string, now time.Time) {
	in.Typed = now
	images := picture.ImagesInPaste(text)
	for _, path := range images {
		in.PutImage(path, now)
	}
	if len(images) == 0 {
		in.Editor.InsertPaste(text)
	}
}

// PutImage inserts an image at the cursor, followed by a space.
func (in *Input) PutImage(path string, now time.Time) {
	in.Editor.InsertImage(atcmd.ImagePart(path).Text, path)
	in.Editor.Insert(" ")
	in.Typed = now
}

// ContinueLine replaces a backslash at the end of the text by a new line, and reports whether it
// did.
func (in *Input) ContinueLine() bool {
	if in.Editor.Cursor != len(in.Editor.Text) || !strings.HasSuffix(in.Editor.Text, `\`) {
		return false
	}
	in.Editor.Backspace()
	in.Editor.Insert("\n")
	return true
}

// IsShell reports whether the prompt is a shell command.
func (in *Input) IsShell() bool { return strings.HasPrefix(in.Editor.Text, "!") }

// IsPrivateCommand reports whether the prompt is a shell command that the model does not see.
func (in *Input) IsPrivateCommand() bool { return strings.HasPrefix(in.Editor.Text, "!!") }

// ClearSent empties the prompt after its message was sent.
func (in *Input) ClearSent() {
	in.Editor.Clear()
	in.Vim.StartInsert()
	in.Typed = time.Time{}
}

// TypedForm returns a sent message as it was shown in the prompt, with placeholders for long pastes.
func (in *Input) TypedForm(text string) string {
	if prompt := in.earlier(text); prompt != nil {
		return edit.DisplayText(prompt)
	}
	return text
}

// earlier returns the latest of the earlier prompts with the given text, or nil for none.
func (in *Input) earlier(text string) atcmd.Message {
	text = strings.TrimSpace(text)
	for _, prompt := range slices.Backward(in.Prompts.Entries) {
		if strings.TrimSpace(prompt.Text()) == text {
			return prompt
		}
	}
	return nil
}

// Recall restores the earlier prompt with the given text. Its pasted parts remain marked as pasted.
func (in *Input) Recall(text string) { in.Editor.Restore(in.earlier(text)) }

// Older shows the prompt before the one that is shown now.
func (in *Input) Older() { in.walk(in.Prompts.Older(in.Editor.Message())) }

// Newer shows the prompt after the one that is shown now. After the last prompt it shows the draft.
func (in *Input) Newer() { in.walk(in.Prompts.Newer()) }

func (in *Input) walk(prompt atcmd.Message, ok bool) {
	if ok {
		in.Editor.Restore(prompt)
		in.popup.close()
	}
}

// ClearDraft empties the prompt. Older restores its text.
func (in *Input) ClearDraft() {
	in.Prompts.Add(in.Editor.Message())
	in.Editor.Clear()
	in.popup.close()
}

// FirstWord returns the first word of a text.
func FirstWord(text string) string {
	word, _, _ := strings.Cut(strings.ReplaceAll(text, "\n", " "), " ")
	return word
}

package history

import "slices"

// Source is the origin of text that the user did not type.
type Source string

// The sources of data in a human entry.
const (
	// SourcePiped is text from standard input.
	SourcePiped Source = "piped"
	// SourcePasted is text that was put into the prompt from the clipboard.
	SourcePasted Source = "pasted"
	// SourceCommand is the output of a command that the user ran with "!".
	SourceCommand Source = "printed"
	// SourceRestored is content that was in the context before and was recalled.
	SourceRestored Source = "restored"
	// SourceUndo describes the effect of /undo or /redo on the files.
	SourceUndo Source = "undone"
	// SourceExtension is text of a skill, a command or instructions. The user did not type it, but the model
	// follows it.
	SourceExtension Source = "brought"
)

// NewData returns a block that shows content as data of a source: a title line, then the content in a
// fence that the content cannot close.
func NewData(source Source, title, content string) *Text {
	return &Text{Text: title + "\n\n" + CodeBlock(content, ""), Source: source}
}

// OwnText returns the entry's text without files and data: the user's or the model's own words.
func (c *Content) OwnText() string {
	return c.text(func(t *Text) bool { return t.IncludedFile == "" && t.Source == "" })
}

// IsMessage reports whether the entry is a message of the user to the model. These are no messages: a
// summary, added or recalled content, the mere output of a command, and a note on files.
func (c *Content) IsMessage() bool {
	if !slices.ContainsFunc(c.Blocks, func(b Block) bool { text, ok := b.(*Text); return !ok || text.Source != SourceExtension }) {
		return false
	}
	if c.Speaker != Human || c.Metadata[MetaSummary] != nil || c.Metadata[MetaRestored] != nil || c.HasSource(SourceUndo) {
		return false
	}
	return slices.ContainsFunc(c.Blocks, func(b Block) bool {
		text, ok := b.(*Text)
		return !ok || text.Source != SourceCommand
	})
}

// HasSource reports whether a block of the entry is data of a source.
func (c *Content) HasSource(source Source) bool {
	return slices.ContainsFunc(c.Blocks, func(b Block) bool {
		text, ok := b.(*Text)
		return ok && text.Source == source
	})
}

// KeyApprovalMode is the key of notes about the approval mode. Only the program writes their text.
const KeyApprovalMode = "mode"

// IsInstruction reports whether the text may be sent in a system message. That is so if the text comes
// from the program, or from the user's own instructions for all projects. Text of the workspace, of
// tools and of servers is not allowed there.
func (t *Text) IsInstruction() bool {
	return t.Source == SourceExtension && (t.Key == KeyApprovalMode || t.Own)
}

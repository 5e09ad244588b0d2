package app

import (
	"fmt"
	"path/filepath"
	"strings"

	"agent/internal/chat"
	"agent/internal/disk"
	"agent/internal/history"
	"agent/internal/setup/instructions"
	"agent/internal/text/textdiff"
)

// instructed is what the model was given of a file with instructions.
type instructed struct{ path, text string }

// changedText says what a file with instructions says now: as a difference to what the head
// has of it where that is shorter, else whole. Each difference is to the head, so that the
// newest by itself says all.
func (c *Conversation) changedText(file instructions.File, whole string) string {
	if head, has := c.headTexts[file.Path]; has {
		difference := textdiff.New(head, file.Text).Unified("instructions", "instructions")
		if difference != "" && len(difference) < len(whole)/2 {
			return fmt.Sprintf("The instructions of %s have changed since the beginning, and hold with this difference:\n%s", c.shortPath(file.Path), difference)
		}
	}
	return "These instructions have changed and hold as they are now:\n" + whole
}

// findInstructions finds the instructions of the workspace and its user.
func (c *Conversation) findInstructions() instructions.Found {
	if c.options.NoSetup {
		return instructions.Found{}
	}
	return instructions.Find(c.whereInstructions())
}

// marked is a file with instructions as a block of a conversation.
func (c *Conversation) marked(file instructions.File) chat.Nested {
	text := strings.ReplaceAll(file.Text, "</instructions", `<\/instructions`)
	return chat.Nested{
		Key:  "instructions:" + file.Path,
		Text: fmt.Sprintf("<instructions path=%q>\n%s\n</instructions>", c.shortPath(file.Path), text),
	}
}

// below returns the instructions of the folders on the way to a file, and the rules that
// hold for it. What the head has is not given again.
func (c *Conversation) below(file string) []chat.Nested {
	abs := c.absolute(filepath.FromSlash(file))
	root := c.workspace.Root()
	if c.options.NoSetup || !disk.Within(abs, root) || abs == root {
		return nil
	}
	rel, err := filepath.Rel(root, abs)
	if err != nil {
		return nil
	}
	var nested []chat.Nested
	for _, found := range instructions.Below(c.whereInstructions(), filepath.ToSlash(rel)).Files {
		if !c.given(found) {
			nested = append(nested, c.marked(found))
		}
	}
	return nested
}

// given reports whether the head has a text.
func (c *Conversation) given(file instructions.File) bool {
	for _, has := range c.inHead {
		if has.text == file.Text {
			return true
		}
	}
	return false
}

// changed returns the instructions of the workspace that have changed since the model was
// given them, and remembers them.
func (c *Conversation) changed() []history.Block {
	var blocks []history.Block
	for _, file := range c.findInstructions().Files {
		if c.given(file) {
			continue
		}
		n := c.marked(file)
		blocks = append(blocks, &history.Text{Text: c.changedText(file, n.Text), Source: history.Brought, Key: n.Key})
		kept := c.inHead[:0]
		for _, has := range c.inHead {
			if has.path != file.Path {
				kept = append(kept, has)
			}
		}
		c.inHead = append(kept, instructed{file.Path, file.Text})
	}
	return blocks
}

// instructionLines lists the instructions for /instructions: what is read, with its size,
// and what is not, with the reason.
func (c *Conversation) instructionLines() []string {
	found := c.findInstructions()
	var lines []string
	for _, file := range found.Files {
		lines = append(lines, fmt.Sprintf("%s  about %d tokens", c.shortPath(file.Path), len(file.Text)/bytesPerToken))
	}
	for _, unread := range found.Unread {
		lines = append(lines, "not read: "+unread)
	}
	for _, problem := range found.Problems {
		lines = append(lines, "not read: "+problem.Error())
	}
	return lines
}

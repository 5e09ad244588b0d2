package chat

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"agent/internal/chat/window"
	"agent/internal/history"
	"agent/internal/snapshot"
	"agent/internal/words"
)

// mostNamed bounds how many files are named of which the model has seen nothing: a command
// can make thousands.
const mostNamed = 50

// filesReport is what the model reads of files that went back or forth: which, and what
// those hold of which it can see nothing any more (D-48). Known are those whose content it
// knew.
func (c *Chat) filesReport(plan *snapshot.Plan, changed []snapshot.Changed, known map[string]bool) []history.Block {
	title := map[snapshot.Way]string{
		snapshot.Undo: "I undid the changes of files that your latest turn with any had made. These files are again as they were before it:",
		snapshot.Redo: "I did the changes of files again that I had undone. These files changed with it:",
	}[plan.Kind]
	did := map[string]string{"delete": "deleted", "create": "there again", "change": "as it was", "mode": "its mode is as it was"}
	var list strings.Builder
	blocks := []history.Block{nil}
	room := c.window.OutputLimit()
	named, more := 0, 0
	for _, file := range changed {
		saw := c.sawBefore(plan, file)
		if !saw && !known[file.Abs] {
			if named == mostNamed {
				more++
				continue
			}
			named++
		}
		fmt.Fprintf(&list, "%s: %s", file.Path, did[file.Does])
		if saw {
			shown := history.NewInclusion(file.Path, string(file.Content))
			if tokens := c.window.Scaled(c.History.CountBlocks([]history.Block{shown})); isPlain(file.Content) && tokens <= room {
				room -= tokens
				blocks = append(blocks, shown)
				c.Env.Seen.Record(file.Abs, file.Content)
				list.WriteString(", shown below")
			} else {
				list.WriteString("; read it again to see it")
			}
		}
		list.WriteByte('\n')
	}
	if more > 0 {
		fmt.Fprintf(&list, "and %s more\n", words.Count(more, "file"))
	}
	blocks[0] = history.NewData(history.Undone, title, list.String())
	return blocks
}

// isPlain reports whether a content is text without what the model would have to know
// to write it back.
func isPlain(content []byte) bool { return !bytes.ContainsAny(content, "\r\x00") }

// sawBefore reports whether the model was shown what a file held, and sees it no more: that
// left the context since the first write that is undone now, or an earlier report showed the
// file as it is not any more.
func (c *Chat) sawBefore(plan *snapshot.Plan, file snapshot.Changed) bool {
	if file.Content == nil || file.Does == "mode" {
		return false
	}
	for _, prune := range c.window.Ledger() {
		if plan.Kind == snapshot.Undo && !prune.At.Before(plan.Since) && c.isAbout(prune, file.Abs) {
			return true
		}
	}
	for _, entry := range c.History.RawHistory() {
		if reportsFile(entry, file.Path) {
			return true
		}
	}
	return false
}

// isAbout reports whether what was pruned showed a file.
func (c *Chat) isAbout(prune window.Prune, abs string) bool {
	for _, path := range c.filesOf(prune) {
		if at, err := c.Env.Workspace.Resolve(path); err == nil && at == abs {
			return true
		}
	}
	return false
}

// reportsFile reports whether an entry is a report that shows a file.
func reportsFile(entry *history.Content, path string) bool {
	return entry.Holds(history.Undone) && slices.ContainsFunc(entry.Blocks, func(block history.Block) bool {
		text, ok := block.(*history.Text)
		return ok && text.IncludedFile == path
	})
}

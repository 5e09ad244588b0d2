package tui

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/chat"
)

// longBlocks returns blocks that are higher than the window.
func longBlocks() map[string]string {
	table := "| number | what it is |\n|---|---|\n"
	for i := range 60 {
		table += fmt.Sprintf("| %d | row %d of the table |\n", i, i)
	}
	return map[string]string{
		"paragraph": strings.Repeat("Words with *emphasis*, `code` and [a link](http://x.y) flow one after the other. ", 25),
		"plain":     strings.Repeat("word after word ", 130),
		"held":      strings.Repeat("word ", 200) + "**" + strings.Repeat("bold ", 100) + "** end",
		"table":     "Look:\n\n" + table,
		"heading":   strings.Repeat("a title as long as a paragraph ", 40) + "\n---",
		"list":      strings.Repeat("- an item\n", 60),
		"code":      "```go\n" + strings.Repeat("x := 1\n", 60) + "```",
	}
}

// While a long block streams, each of its rows is visible, in order. Closing the block changes
// nothing.
func TestLongBlocksShowAsTheyGrow(t *testing.T) {
	t.Parallel()
	for name, text := range longBlocks() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text += "\n\nthe end"
			once := newScreenplay(t, 60, 24)
			once.events(chat.TurnStarted{}, chat.ReplyEnded{Text: text})
			s := newScreenplay(t, 60, 24)
			s.events(chat.TurnStarted{})
			for part := range slices.Chunk([]byte(text), 7) {
				s.events(chat.TextDelta{Delta: string(part)})
			}
			if rows := len(s.printed); name != "heading" && rows < len(once.printed)-24 {
				t.Errorf("%d rows of %d have left before the end", rows, len(once.printed))
			}
			s.events(chat.ReplyEnded{Text: text})
			if diff := cmp.Diff(once.printed, s.printed); diff != "" {
				t.Errorf("(-at once +streamed):\n%s", diff)
			}
		})
	}
}

// There is no blank line between printed rows and live rows of the same block, so that no row moves
// when it is printed.
func TestStreamedRowsDoNotMove(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"plain", "list", "code"} {
		text := longBlocks()[name]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			once := newScreenplay(t, 60, 24)
			once.events(chat.TurnStarted{}, chat.ReplyEnded{Text: text})
			final := rowsOf(append([]string{""}, once.printed...))
			s := newScreenplay(t, 60, 24)
			s.events(chat.TurnStarted{})
			for part := range slices.Chunk([]byte(text), 5) {
				s.events(chat.TextDelta{Delta: string(part)})
				shown := slices.Concat(s.printed, s.model.live)
				if len(s.printed) == 0 {
					continue // live rows are at their final position
				}
				shown = rowsOf(shown[:slices.IndexFunc(shown, func(row string) bool { return strings.Contains(row, "writing ·") })-1])
				n := len(s.printed)
				for i := n; i < len(shown)-1; i++ {
					if i+1 < len(final) && shown[i] != final[i+1] {
						t.Fatalf("row %d is %q and becomes %q", i, shown[i], final[i+1])
					}
				}
			}
		})
	}
}

func rowsOf(rows []string) []string {
	out := make([]string, len(rows))
	for i, row := range rows {
		out[i] = strings.TrimRight(row, " ")
	}
	return out
}

package chat

import (
	"slices"

	"agent/internal/history"
)

// NestedInstructions holds instructions that apply to a file and are not in the system prompt.
type NestedInstructions struct {
	// Key identifies the source of Text, the content of the instructions.
	Key, Text string
}

// standing returns the number of the entry, counted from 1, that has the newest content of a key
// in the context, if that content is text; else 0.
func (r *runner) standing(key, text string) int {
	if key == "" {
		return 0
	}
	entries := r.history.RawHistory()
	for i := len(entries) - 1; i >= 0; i-- {
		if content, found := entries[i].Keyed(key); found {
			if content == text {
				return i + 1
			}
			return 0
		}
	}
	return 0
}

// touch notes the instructions that apply to the files of an answered call, unless the context
// has them.
func (r *runner) touch(k *call) {
	if r.below == nil || k.answer.Error != "" || k.tool.Runs {
		return
	}
	for _, file := range k.files() {
		for _, n := range r.below(file) {
			noted := slices.ContainsFunc(r.nested, func(b history.Block) bool { return b.(*history.Text).Key == n.Key })
			if !noted && r.standing(n.Key, n.Text) == 0 {
				r.nested = append(r.nested, &history.Text{Text: n.Text, Source: history.Brought, Key: n.Key})
			}
		}
	}
}

// files returns the paths of the files that a call names.
func (k *call) files() []string {
	return slices.Concat(k.Preview.Paths, k.tool.FilesOf(k.Arguments))
}

// addNested adds the noted instructions, and news, to the history. It is called after the answers
// to all calls of a reply.
func (c *Chat) addNested() error {
	blocks := c.runner.nested
	c.runner.nested = nil
	if c.config.Extensions.News != nil {
		blocks = append(blocks, c.config.Extensions.News()...)
	}
	if len(blocks) == 0 {
		return nil
	}
	return c.add(history.New(history.Human, blocks...))
}

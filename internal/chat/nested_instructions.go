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

// standing returns the number, counted from 1, of the entry in the context with the newest content of
// key. It returns 0 if the newest content is not text.
func (r *runner) standing(key, text string) int {
	if key == "" {
		return 0
	}
	entries := r.history.RawHistory()
	for i := len(entries) - 1; i >= 0; i-- {
		if content, found := entries[i].KeyedText(key); found {
			if content == text {
				return i + 1
			}
			return 0
		}
	}
	return 0
}

// touch records the instructions that apply to the files of an answered call, unless they are in the
// context.
func (r *runner) touch(k *call) {
	if r.below == nil || k.answer.Error != "" || k.tool.Runs {
		return
	}
	for _, file := range k.files() {
		for _, n := range r.below(file) {
			noted := slices.ContainsFunc(r.nested, func(b history.Block) bool { return b.(*history.Text).Key == n.Key })
			if !noted && r.standing(n.Key, n.Text) == 0 {
				r.nested = append(r.nested, &history.Text{Text: n.Text, Source: history.SourceExtension, Key: n.Key})
			}
		}
	}
}

func (k *call) files() []string {
	return slices.Concat(k.Preview.Paths, k.tool.FilesOf(k.Arguments))
}

// addNested adds the recorded instructions and the updates of Extensions.News to the history. It is
// called after all calls of a reply are answered.
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

package window

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"agent/internal/base/humanize"
	"agent/internal/compression"
	"agent/internal/history"
	"agent/prompts"
)

// The kinds of items of the head, which is in every request, and of items that are sums.
const (
	PromptItem       = "prompt"
	ToolsItem        = "tools"
	InstructionsItem = "instructions"
	NotesItem        = "notes"
	ReasoningItem    = "reasoning"
	OtherItem        = "other"
)

// An Item is a part of the head, a call with its result, an inclusion, or a text in the context.
type Item struct {
	// Kind is one of the kinds above, the tool name of a call, "included", "you" or "reply".
	Kind string
	// Subject identifies the item: a path, a command, or the first line of a text.
	Subject string
	// Head is set for a part of the head.
	Head bool
	// Path is the absolute path of the file that the item contains, or "".
	Path   string
	Tokens int
	// Turns is the number of messages of the user after the item. Sent is the number of requests that
	// contained it.
	Turns, Sent int
	// Reason is why the item is still in the context, or "" if no rule applies to it.
	Reason string
	// Waiting is set if pruning may remove the item but has postponed it.
	Waiting bool
	// Pinned is set if the user pinned the item.
	Pinned bool
	// Text is the item as sent to the model.
	Text string

	// answer is the result of the call, or nil for an item without one.
	answer *history.ToolResponse
}

// Items lists the items of the next request: the head, then the others, the largest first. Their tokens
// add up to the size of the request.
func (c *Contents) Items() []Item {
	head := c.headItems()
	items := append(head, c.entryItems()...)
	estimate, told := 0, 0
	for i := range items {
		estimate += items[i].Tokens
		before := told
		told = c.measure.ToProviderTokens(estimate)
		items[i].Tokens = told - before
	}
	c.explain(items)
	slices.SortStableFunc(items[len(head):], func(a, b Item) int { return cmp.Compare(b.Tokens, a.Tokens) })
	return items
}

// headItems returns the items of the head, with their tokens by our own count.
func (c *Contents) headItems() []Item {
	h := c.measure.heads
	h.prepare()
	prompt, rest := Item{Kind: PromptItem, Head: true, Tokens: h.head.system}, []Item{}
	for _, s := range prompts.Sections(h.head.System) {
		item := Item{Kind: InstructionsItem, Head: true, Text: s.Text, Tokens: h.counter.Count(s.Text)}
		file, instructs := strings.CutPrefix(s.Title, prompts.InstructionsFrom)
		switch {
		case instructs:
			item.Subject = strings.TrimPrefix(file, c.staleness.root+"/")
		case s.Title == prompts.NotesTitle:
			item.Kind = NotesItem
		default:
			prompt.Text += s.Text
			continue
		}
		prompt.Tokens -= item.Tokens
		rest = append(rest, item)
	}
	tools := Item{Kind: ToolsItem, Head: true, Tokens: h.head.tools, Subject: humanize.Count(len(h.head.Tools), "definition")}
	for _, spec := range h.head.Tools {
		tools.Text += fmt.Sprintf("%s: %s\n%s\n\n", spec.Name, spec.Description, spec.Schema)
	}
	all := append([]Item{prompt, tools}, rest...)
	return slices.DeleteFunc(all, func(i Item) bool { return i.Tokens == 0 })
}

// entryItems returns the items of the history in its order, with their tokens by our own count.
func (c *Contents) entryItems() []Item {
	entries := c.history.RawHistory()
	replies, messages := 0, 0
	for _, entry := range entries {
		if entry.Speaker == history.AI {
			replies++
		}
		if entry.IsMessage() {
			messages++
		}
	}
	answers := map[*history.ToolCall]*history.ToolResponse{}
	for _, pair := range history.PairCalls(entries).Pairs {
		for _, at := range pair.Responses {
			answers[pair.Call] = entries[at.Entry].Blocks[at.Block].(*history.ToolResponse)
		}
	}
	var items []Item
	count := func(block history.Block) int { return c.history.CountBlocks([]history.Block{block}) }
	answered := map[history.Block]int{} // maps each response to the item of its call
	reasoning, other := Item{Kind: ReasoningItem, Subject: "of replies"}, Item{Kind: OtherItem}
	for _, entry := range entries {
		if entry.Speaker == history.AI {
			replies--
		}
		if entry.IsMessage() {
			messages--
		}
		if entry.Empty() {
			continue // the block is not sent
		}
		own := -1 // the index of the item that gets the tokens of the entry outside its blocks
		left := c.history.CountContent(entry)
		for _, block := range entry.Blocks {
			if at, ok := answered[block]; ok {
				own = at
				left -= count(block)
				continue
			}
			if thinking, ok := block.(*history.Thinking); ok {
				n := count(thinking)
				reasoning.Tokens, left = reasoning.Tokens+n, left-n
				continue
			}
			item, ok := c.item(entry, block, answers)
			if !ok {
				continue
			}
			item.Tokens = count(block)
			left -= item.Tokens
			if item.answer != nil {
				item.Tokens += count(item.answer)
				answered[item.answer] = len(items)
			}
			item.Turns, item.Sent, own = messages, replies, len(items)
			items = append(items, item)
		}
		if own < 0 {
			other.Tokens += left
		} else {
			items[own].Tokens += left
		}
	}
	return append(items, slices.DeleteFunc([]Item{reasoning, other}, func(i Item) bool { return i.Tokens == 0 })...)
}

// item returns the item that begins with a block. It includes the result of a call in the item of the
// call.
func (c *Contents) item(entry *history.Content, block history.Block, answers map[*history.ToolCall]*history.ToolResponse) (Item, bool) {
	switch b := block.(type) {
	case *history.ToolCall:
		text := string(b.Parameters)
		item := Item{Kind: b.Name, Subject: c.facts(b.Name).Describe(b.Name, b.Arguments()).Subject}
		if r := answers[b]; r != nil {
			text, item.answer = text+"\n\n"+r.Result.Text()+r.Error, r
		}
		if files := c.facts(b.Name).FilesOf(b); len(files) == 1 {
			item.Path = c.staleness.absolute(files[0])
		}
		item.Text = text
		return item, true
	case *history.Text:
		item := Item{Kind: "you", Subject: humanize.FirstLine(b.Text), Text: b.Text}
		if entry.Speaker == history.AI {
			item.Kind = "reply"
		}
		if included := history.Inclusions(b); len(included) > 0 {
			item.Kind, item.Subject, item.Path = "included", included[0].Path, c.staleness.absolute(included[0].Path)
		}
		return item, strings.TrimSpace(b.Text) != ""
	}
	return Item{}, false
}

// explain sets for each item the reason why it is still in the context.
func (c *Contents) explain(items []Item) {
	held := map[string]PrunablePart{}
	for _, h := range c.PrunableParts("") {
		if earlier, ok := held[h.Subject]; !ok || h.Waiting && !earlier.Waiting {
			held[h.Subject] = h
		}
	}
	for i, item := range items {
		if item.Head {
			continue
		}
		h, ok := held[cmp.Or(item.Path, item.Subject)]
		if !ok {
			h, ok = held[item.Subject]
		}
		if ok {
			items[i].Reason, items[i].Waiting = h.Reason, h.Waiting
		}
		items[i].Pinned = item.Path != "" && c.staleness.pins[item.Path]
	}
}

// PrunedByUser is the kind of the ledger's lines about results that the user pruned.
const PrunedByUser history.PruneKind = "let go"

// PruneItem prunes the result of an item, whatever the cache miss costs. It returns the number of tokens
// pruned. An error contains the reason why the item was not pruned.
func (c *Contents) PruneItem(item Item) (tokens int, err error) {
	switch {
	case item.Pinned:
		return 0, fmt.Errorf("%s is pinned; unpin it first", item.Subject)
	case item.Head:
		return 0, errors.New("every request contains it; its row in the list shows how to make it smaller")
	case item.answer == nil:
		return 0, errors.New("only tool results can be pruned; compression handles the rest")
	}
	left := fmt.Errorf("%s was already removed", item.Subject)
	if text := item.answer.Result.Text(); compression.IsPlaceholder(text) {
		return 0, left
	}
	for index, entry := range c.history.RawHistory() {
		at := slices.Index(entry.Blocks, history.Block(item.answer))
		if at < 0 {
			continue
		}
		blocks := slices.Clone(entry.Blocks)
		blocks[at] = compression.WithPlaceholder(item.answer, c.pruning.ledger.nextNumber(0))
		prune := history.Prune{
			Kind: PrunedByUser, Subject: item.Subject, Reason: "pruned by you", Entry: index,
			Gone: []history.Block{item.answer}, Left: []history.Block{blocks[at]},
		}
		if item.Path != "" {
			prune.Subject, prune.Paths = path.Clean(item.Path), []string{item.Path}
		}
		return c.pruning.takeOut(index, entry.WithBlocks(blocks), prune)
	}
	return 0, left
}

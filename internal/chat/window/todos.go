package window

import (
	"slices"
	"strings"

	"agent/internal/history"
	"agent/internal/todo"
)

// metaTodos is the metadata key of the entry that contains the todo list after a compression.
const metaTodos = "todoList"

func carriesTodos(c *history.Content) bool { return c.Metadata[metaTodos] == true }

// todoShare is the divisor for the part of the context window that the todo list may use.
const todoShare = 10

// carriedTodos adds the todo list to the history after a compression.
type carriedTodos struct {
	list    func() todo.List
	history *history.Service
	measure *RequestMeter
}

// entry returns an entry with the todo list, and its size in tokens. It returns nil if every task is
// done, or the list is too long for the context window.
func (c *carriedTodos) entry() (*history.Content, int) {
	list := c.list()
	if !list.HasOpen() {
		return nil, 0
	}
	entry := history.HumanText(todoText(list)).WithMeta(history.MetaSummary, true).WithMeta(metaTodos, true)
	tokens := c.history.CountContent(entry)
	if tokens > c.measure.unscaled(c.measure.limits.Size())/todoShare {
		return nil, 0
	}
	return entry, tokens
}

func todoText(list todo.List) string {
	return "[The current todo list; todo_write changes it]\n" + strings.Join(list.Lines(), "\n")
}

// withoutTodos returns the entries and their tokens without the entry with the todo list from an
// earlier compression. So strategies need no special case for it.
func withoutTodos(entries []*history.Content, tokens []int) ([]*history.Content, []int) {
	if !slices.ContainsFunc(entries, carriesTodos) {
		return entries, tokens
	}
	var kept []*history.Content
	var sizes []int
	for i, c := range entries {
		if !carriesTodos(c) {
			kept, sizes = append(kept, c), append(sizes, tokens[i])
		}
	}
	return kept, sizes
}

// insert inserts the todo list before the summary of removed entries. Without a summary, the list is
// still in the call that wrote it.
func (c *carriedTodos) insert(entries []*history.Content) []*history.Content {
	at := slices.IndexFunc(entries, func(e *history.Content) bool { return e.Metadata[history.MetaSummary] == true })
	entry, _ := c.entry()
	if at < 0 || entry == nil {
		return entries
	}
	return slices.Insert(slices.Clone(entries), at, entry)
}

package window

import (
	"slices"
	"strings"

	"agent/internal/history"
	"agent/internal/todo"
)

// metaTodos is the key of the metadata that marks the entry with the todo list carried over a
// compression.
const metaTodos = "todoList"

func carriesTodos(c *history.Content) bool { return c.Metadata[metaTodos] == true }

// todoShare is the divisor that gives the part of the window that the carried list may take.
const todoShare = 10

// carriedTodos carries the todo list over compressions.
type carriedTodos struct {
	list    func() todo.List
	history *history.Service
	measure *Measure
}

// entry returns the entry that carries the todo list over a compression, and its tokens. It
// returns nil if everything on the list is done, or the list is too long for the window.
func (c *carriedTodos) entry() (*history.Content, int) {
	list := c.list()
	if !list.Open() {
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
	return "[The todo list as it stands; todo_write changes it]\n" + strings.Join(list.Lines(), "\n")
}

// withoutTodos returns the entries, and the tokens of each, without the todo list that an earlier
// compression carried over, so that strategies need not know of it.
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

// insert inserts the todo list before the summary of entries that are gone. If there is no
// summary, the model can still read the list where it was written.
func (c *carriedTodos) insert(entries []*history.Content) []*history.Content {
	at := slices.IndexFunc(entries, func(e *history.Content) bool { return e.Metadata[history.MetaSummary] == true })
	entry, _ := c.entry()
	if at < 0 || entry == nil {
		return entries
	}
	return slices.Insert(slices.Clone(entries), at, entry)
}

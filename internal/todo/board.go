package todo

import (
	"reflect"
	"slices"
	"sync"
)

// Board holds the current list. Its methods are safe for concurrent use.
type Board struct {
	mu      sync.Mutex
	list    List
	changed func(List)
}

// NewBoard returns a board with list on it. Changed, which may be nil, is called
// with every other list that takes its place, in order; it must not call back.
func NewBoard(list List, changed func(List)) *Board {
	if changed == nil {
		changed = func(List) {}
	}
	return &Board{list: slices.Clone(list), changed: changed}
}

// List returns the current list. A nil board has none.
func (b *Board) List() List {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.list)
}

// Set puts another list in place of the current one, if it is in order; the error
// is a *FieldError.
func (b *Board) Set(list List) error {
	if err := list.Check(); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if reflect.DeepEqual(b.list, list) || len(b.list)+len(list) == 0 {
		return nil
	}
	b.list = slices.Clone(list)
	b.changed(list)
	return nil
}

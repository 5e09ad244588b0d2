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

// NewBoard returns a board that contains list. It calls changed, which may be nil, with every later
// list, in order. changed must not call methods of the board.
func NewBoard(list List, changed func(List)) *Board {
	if changed == nil {
		changed = func(List) {}
	}
	return &Board{list: slices.Clone(list), changed: changed}
}

// List returns the current list. For a nil board it returns an empty list.
func (b *Board) List() List {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.list)
}

// Set replaces the current list if the new one is valid. The error is a *FieldError.
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

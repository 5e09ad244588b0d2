package todo

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"agent/internal/base/humanize"
)

// Status is the progress of a task.
type Status string

// The states of an item.
const (
	Pending    Status = "pending"
	InProgress Status = "in_progress"
	Completed  Status = "completed"
)

// Item is one task.
type Item struct {
	ID      string `json:"id"`
	Content string `json:"content"`
	Status  Status `json:"status"`
	// Subtasks are the steps of the task. They have no subtasks.
	Subtasks List `json:"subtasks,omitempty"`
}

// List has the tasks in order.
type List []Item

// The limits of a list. They are low, because every request after a compression contains the list.
const (
	maxItems   = 100
	maxContent = 1000
)

// FieldError describes which field of a list is wrong, and why.
type FieldError struct{ Field, Problem string }

func (e *FieldError) Error() string { return e.Field + " " + e.Problem }

// Check returns the first mistake in a list as a *FieldError, or nil.
func (l List) Check() error {
	n := len(l)
	for _, item := range l {
		n += len(item.Subtasks)
	}
	if n > maxItems {
		return &FieldError{"todos", fmt.Sprintf("has %d items, including subtasks; the limit is %d, so omit completed items", n, maxItems)}
	}
	return l.check("todos", make(map[string]string))
}

// check checks the items below a path. seen maps the IDs of the whole list to their fields.
func (l List) check(path string, seen map[string]string) error {
	for i, item := range l {
		at := fmt.Sprintf("%s[%d]", path, i)
		wrong := func(field, format string, args ...any) error {
			return &FieldError{at + "." + field, fmt.Sprintf(format, args...)}
		}
		length := utf8.RuneCountInString(item.Content)
		switch item.Status {
		case Pending, InProgress, Completed:
		default:
			return wrong("status", "is %q; it must be pending, in_progress or completed", item.Status)
		}
		switch {
		case strings.TrimSpace(item.ID) == "":
			return wrong("id", "is empty; every item needs an id")
		case seen[item.ID] != "":
			return wrong("id", "is %q, the same as that of %s; every item needs a different id", item.ID, seen[item.ID])
		case strings.TrimSpace(item.Content) == "":
			return wrong("content", "is empty; say what is to be done")
		case length > maxContent:
			return wrong("content", "has %d characters; the limit is %d", length, maxContent)
		case len(item.Subtasks) > 0 && strings.Contains(path, "."):
			return wrong("subtasks", "are not allowed in a subtask; a list has only two levels")
		}
		seen[item.ID] = at
		if err := item.Subtasks.check(at+".subtasks", seen); err != nil {
			return err
		}
	}
	return nil
}

// Progress is the summary of a list.
type Progress struct {
	// Done and Total count the items.
	Done, Total int
	// Current is the task in progress, otherwise the next task. It is empty if all tasks are done.
	Current string
}

// Progress returns the summary of a list.
func (l List) Progress() Progress {
	p := Progress{Total: len(l)}
	next := ""
	for _, item := range l {
		switch {
		case item.Status == Completed:
			p.Done++
		case item.Status == InProgress:
			p.Current = cmp.Or(p.Current, item.current())
		default:
			next = cmp.Or(next, item.current())
		}
	}
	p.Current = cmp.Or(p.Current, next)
	return p
}

// current returns the text of the step in progress, otherwise of the item.
func (i Item) current() string {
	for _, step := range i.Subtasks {
		if step.Status == InProgress {
			return step.Content
		}
	}
	return i.Content
}

// String returns the progress as one line, or "" for an empty list.
func (p Progress) String() string {
	switch {
	case p.Total == 0:
		return ""
	case p.Current == "":
		return fmt.Sprintf("todo %d/%d", p.Done, p.Total)
	}
	return fmt.Sprintf("todo %d/%d · %s", p.Done, p.Total, humanize.FirstLine(p.Current))
}

// HasOpen reports whether a task of the list is not done.
func (l List) HasOpen() bool {
	p := l.Progress()
	return p.Done < p.Total
}

// Lines returns the list as text for users and models, with one line for each item:
//
//	[x] 1 read the parser
//	[>] 2 fix it
//	  [ ] 2.1 add a test
func (l List) Lines() []string { return l.lines("") }

func (l List) lines(indent string) []string {
	var all []string
	for _, item := range l {
		box := map[Status]string{Pending: "[ ]", InProgress: "[>]", Completed: "[x]"}[item.Status]
		text := strings.Join(strings.Fields(item.Content), " ")
		all = append(all, fmt.Sprintf("%s%s %s %s", indent, box, item.ID, text))
		all = append(all, item.Subtasks.lines(indent+"  ")...)
	}
	return all
}

// Parse reads a list from JSON and checks it.
func Parse(raw json.RawMessage) (List, error) {
	var l List
	if err := json.Unmarshal(raw, &l); err != nil {
		return nil, fmt.Errorf("not a todo list: %w", err)
	}
	return l, l.Check()
}

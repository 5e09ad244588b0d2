package tools

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"agent/internal/todo"
)

// Models write todo lists in many ways. What has one meaning only is understood: ids
// that are numbers or missing, other words for a status, an item that is just a text,
// members that this program does not know. What is left is checked by todo.List.

// UnmarshalJSON implements json.Unmarshaler.
func (a *todoArg) UnmarshalJSON(data []byte) error {
	loose, err := looseTodo(data)
	if err != nil {
		return err
	}
	a.ID, a.Content, a.Status = loose.id, loose.content, loose.status
	if len(loose.subtasks) == 0 || string(loose.subtasks) == "null" {
		return nil
	}
	if err := json.Unmarshal(loose.subtasks, &a.Subtasks); err != nil {
		return fmt.Errorf("subtasks of %q: %w", loose.content, err)
	}
	return nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (a *subtaskArg) UnmarshalJSON(data []byte) error {
	loose, err := looseTodo(data)
	a.ID, a.Content, a.Status = loose.id, loose.content, loose.status
	return err
}

// looseItem is an item as a model wrote it.
type looseItem struct {
	id, content, status string
	subtasks            json.RawMessage
}

func looseTodo(data []byte) (looseItem, error) {
	var text string
	if json.Unmarshal(data, &text) == nil {
		return looseItem{content: text, status: string(todo.Pending)}, nil
	}
	var given struct {
		ID       json.RawMessage `json:"id"`
		Content  string          `json:"content"`
		Title    string          `json:"title"`
		Task     string          `json:"task"`
		Text     string          `json:"text"`
		Status   string          `json:"status"`
		Subtasks json.RawMessage `json:"subtasks"`
	}
	if data[0] != '{' {
		return looseItem{}, fmt.Errorf("an item must be an object with id, content and status, not %s", kindOf(data))
	}
	if err := json.Unmarshal(data, &given); err != nil {
		return looseItem{}, err
	}
	id, err := looseID(given.ID)
	return looseItem{id, cmp.Or(given.Content, given.Title, given.Task, given.Text), looseStatus(given.Status), given.Subtasks}, err
}

// looseID reads an id, empty when there is none.
func looseID(raw json.RawMessage) (string, error) {
	var text string
	var number json.Number
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return "", nil
	case json.Unmarshal(raw, &text) == nil:
		return strings.TrimSpace(text), nil
	case json.Unmarshal(raw, &number) == nil:
		return number.String(), nil
	}
	return "", fmt.Errorf("an id must be a string, not %s", kindOf(raw))
}

// otherStatuses are other words for the states of an item.
var otherStatuses = map[string]todo.Status{
	"": todo.Pending, "todo": todo.Pending, "open": todo.Pending, "not_started": todo.Pending,
	"active": todo.InProgress, "doing": todo.InProgress, "started": todo.InProgress, "inprogress": todo.InProgress,
	"done": todo.Completed, "complete": todo.Completed, "finished": todo.Completed,
}

// looseStatus is a status in our words; one that is not understood stays what it is.
func looseStatus(text string) string {
	plain := strings.NewReplacer("-", "_", " ", "_").Replace(strings.ToLower(strings.TrimSpace(text)))
	if status, ok := otherStatuses[plain]; ok {
		return string(status)
	}
	switch todo.Status(plain) {
	case todo.Pending, todo.InProgress, todo.Completed:
		return plain
	}
	return text
}

// list is the todo list that the arguments mean: what has no id gets its place in the
// list for one.
func (a todoWriteArgs) list() todo.List {
	given := make(map[string]bool)
	for _, arg := range a.Todos {
		given[arg.ID] = true
		for _, step := range arg.Subtasks {
			given[step.ID] = true
		}
	}
	idOr := func(id, place string) string {
		for n := 2; id == "" && given[place]; n++ {
			place += "." + strconv.Itoa(n)
		}
		id = cmp.Or(id, place)
		given[id] = true
		return id
	}
	var list todo.List
	for i, arg := range a.Todos {
		item := todo.Item{ID: idOr(arg.ID, strconv.Itoa(i+1)), Content: arg.Content, Status: todo.Status(arg.Status)}
		for j, step := range arg.Subtasks {
			id := idOr(step.ID, fmt.Sprintf("%s.%d", item.ID, j+1))
			item.Subtasks = append(item.Subtasks, todo.Item{ID: id, Content: step.Content, Status: todo.Status(step.Status)})
		}
		list = append(list, item)
	}
	return list
}

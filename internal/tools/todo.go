package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"agent/internal/todo"
	"agent/internal/tools/decode"
	"agent/internal/traits"
	"agent/internal/words"
)

type todoWriteArgs struct {
	Todos []todoArg `json:"todos" jsonschema:"the whole list, in order; it takes the place of the one before"`
}

type todoArg struct {
	ID       string       `json:"id" jsonschema:"a short name, different for every item and subtask"`
	Content  string       `json:"content" jsonschema:"what is to be done"`
	Status   string       `json:"status" jsonschema:"pending, in_progress or completed"`
	Subtasks []subtaskArg `json:"subtasks,omitempty" jsonschema:"the steps of the item"`
}

type subtaskArg struct {
	ID      string `json:"id" jsonschema:"a short name"`
	Content string `json:"content" jsonschema:"what is to be done"`
	Status  string `json:"status,omitempty" jsonschema:"pending, in_progress or completed; default pending"`
}

// todoReadArgs has no parameters.
type todoReadArgs struct{}

var errNoTodos = errors.New("there is no todo list here")

func todoWrite() Tool {
	return define(Tool{
		Name: "todo_write",
		Description: "Keeps the list of what is to be done, which the user sees. Use it for work of several steps: write the whole list, " +
			"with one item in_progress, and write it again whenever an item is begun or completed.",
		Traits: Traits{Keeps: true, Words: traits.Say("planning", "planned", "plan")},
	}, func(_ context.Context, env *Env, args todoWriteArgs) (Plan, error) {
		list := args.list()
		if env.Todos == nil {
			return Plan{}, errNoTodos
		}
		if err := list.Check(); err != nil {
			return Plan{}, err
		}
		return Plan{Apply: func(context.Context) Answer {
			if err := env.Todos.Set(list); err != nil {
				return failed(err)
			}
			p := list.Progress()
			return Answer{Text: fmt.Sprintf("The list is kept: %d of %d completed.", p.Done, p.Total), Summary: howFar(p)}
		}}, nil
	})
}

// howFar says how far the list is.
func howFar(p todo.Progress) string {
	text := fmt.Sprintf("%d of %d done", p.Done, p.Total)
	if p.Current != "" {
		text += ", now " + words.FirstLine(p.Current)
	}
	return text
}

func todoRead() Tool {
	return define(Tool{
		Name:        "todo_read",
		Description: "Shows the todo list as it stands.",
		Traits:      Traits{Keeps: true, Words: traits.Say("reading the plan", "read the plan", "read the plan")},
	}, func(_ context.Context, env *Env, _ todoReadArgs) (Plan, error) {
		if env.Todos == nil {
			return Plan{}, errNoTodos
		}
		return Plan{Apply: func(context.Context) Answer {
			list := env.Todos.List()
			if len(list) == 0 {
				return Answer{Text: "The todo list is empty."}
			}
			return Answer{Text: strings.Join(list.Lines(), "\n")}
		}}, nil
	})
}

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
		return looseItem{}, fmt.Errorf("an item must be an object with id, content and status, not %s", decode.KindOf(data))
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
	return "", fmt.Errorf("an id must be a string, not %s", decode.KindOf(raw))
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

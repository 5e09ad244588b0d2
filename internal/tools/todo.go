package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"agent/internal/base/humanize"
	"agent/internal/todo"
	"agent/internal/tools/decode"
	"agent/internal/toolspec"
)

type todoWriteArgs struct {
	Todos []todoArg `json:"todos" jsonschema:"the whole list, in order"`
}

// todoSchema holds the parameters that requests declare. The tool also accepts ids and subtasks,
// but few lists need them.
type todoSchema struct {
	Todos []struct {
		Content string `json:"content"`
		Status  string `json:"status" jsonschema:"pending, in_progress or completed"`
	} `json:"todos" jsonschema:"the whole list, in order"`
}

type todoArg struct {
	ID       string       `json:"id" jsonschema:"a short unique name"`
	Content  string       `json:"content"`
	Status   string       `json:"status" jsonschema:"pending, in_progress or completed"`
	Subtasks []subtaskArg `json:"subtasks,omitempty"`
}

type subtaskArg struct {
	ID      string `json:"id"`
	Content string `json:"content"`
	Status  string `json:"status,omitempty"`
}

type todoReadArgs struct{}

var errNoTodos = errors.New("the todo list is off")

func todoWrite() Tool {
	return define(Tool{
		Name:        "todo_write",
		Description: "Keeps a list of tasks that the user sees, for work of more than about six calls. Write it whenever an item is begun or completed, with one in_progress.",
		offers:      decode.ParametersOf[todoSchema]().JSON,
		Traits:      Traits{Stateful: true, Words: toolspec.SameVerbs("planning", "planned", "plan")},
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
				return failedAnswer(err)
			}
			p := list.Progress()
			summary := fmt.Sprintf("%d of %d done", p.Done, p.Total)
			if p.Current != "" {
				summary += ", now " + humanize.FirstLine(p.Current)
			}
			return Answer{Text: fmt.Sprintf("Saved: %d of %d completed.", p.Done, p.Total), Summary: summary}
		}}, nil
	})
}

func todoRead() Tool {
	return define(Tool{
		Name:        "todo_read",
		Description: "Shows the current todo list.",
		Traits:      Traits{Stateful: true, Rare: true, Words: toolspec.SameVerbs("reading the plan", "read the plan", "read the plan")},
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

// list returns the todo list of the arguments. The id of an item without an id is its position in
// the list.
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
		item := todo.Item{ID: idOr(arg.ID, strconv.Itoa(i+1)), Content: arg.Content, Status: cmp.Or(todo.Status(arg.Status), todo.Pending)}
		for j, step := range arg.Subtasks {
			id := idOr(step.ID, fmt.Sprintf("%s.%d", item.ID, j+1))
			item.Subtasks = append(item.Subtasks, todo.Item{ID: id, Content: step.Content, Status: cmp.Or(todo.Status(step.Status), todo.Pending)})
		}
		list = append(list, item)
	}
	return list
}

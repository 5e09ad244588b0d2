package tools

import (
	"strings"
	"testing"

	"agent/internal/todo"
)

func TestTodoTools(t *testing.T) {
	t.Parallel()
	env := &Env{Todos: todo.NewBoard(nil, nil)}
	if got := answerOf(t, env, "todo_read", `{}`); got.Text != "The todo list is empty." {
		t.Errorf("%+v", got)
	}
	got := answerOf(t, env, "todo_write", `{"todos":[{"id":"1","content":"read","status":"completed"},{"id":"2","content":"fix","status":"in_progress","subtasks":[{"id":"2a","content":"test"}]}]}`)
	if got.Text != "Saved: 1 of 2 completed." {
		t.Errorf("%+v", got)
	}
	if got := answerOf(t, env, "todo_read", `{}`); got.Text != "[x] 1 read\n[>] 2 fix\n  [ ] 2a test" {
		t.Errorf("%+v", got)
	}
	for args, says := range map[string]string{
		`{"todos":[{"id":"1","content":"a","status":"pending"},{"id":"1","content":"b","status":"pending"}]}`: `todos[1].id is "1", the same as that of todos[0]`,
		`{"todos":[{"id":"1","content":"a","status":"soon"}]}`:                                                `todos[0].status is "soon"`,
		`{"todos":[{"id":1,"content":"a"},{"id":"1","content":"b"}]}`:                                         `todos[1].id is "1", the same as that of todos[0]`,
		`{"todos":[{"id":"1","status":"pending"}]}`:                                                           "todos[0].content is empty",
		`{"todos":[{"id":true,"content":"a"}]}`:                                                               "must be a string, not a bool",
		`{"todos":[7]}`:                                                                                       "must be an object, not a number",
		`{"todos":[{"content":["a"]}]}`:                                                                       "content",
		`{"todos":[{"content":"a","subtasks":[{"id":[]}]}]}`:                                                  "must be a string, not an array",
		`{"todos":[],"merge":true}`:                                                                           `unknown parameter "merge"`,
		`{}`:                                                                                                  "todos",
	} {
		if got := answerOf(t, env, "todo_write", args); !strings.Contains(got.Error, says) {
			t.Errorf("%s: %q does not say %q", args, got.Error, says)
		}
	}
	if len(env.Todos.List()) != 2 {
		t.Errorf("a refused list was kept: %v", env.Todos.List())
	}
	if got := answerOf(t, &Env{}, "todo_read", `{}`); got.Error == "" {
		t.Error("no board, and no error")
	}
}

// answerOf plans and applies a call.
func answerOf(t *testing.T, env *Env, name, args string) Answer {
	t.Helper()
	registry := NewRegistry(Default()...)
	tool, err := registry.Get(name)
	if err != nil {
		t.Fatal(err)
	}
	if !tool.Stateful || tool.IsRetrievable() {
		t.Errorf("D-45: %s declares %s, whose results may be pruned", name, tool.Traits)
	}
	plan, err := tool.Plan(t.Context(), env, registry.Translate(name, args).Arguments)
	if err != nil {
		return Answer{Error: err.Error()}
	}
	return plan.Apply(t.Context())
}

// Common mistakes of models are accepted if they have only one meaning.
func TestTodosAsModelsWriteThem(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		`{"todos":[{"id":1,"content":"a","status":"pending"},{"id":2.5,"content":"b","status":"completed"}]}`:                          "[ ] 1 a\n[x] 2.5 b",
		`{"todos":[{"content":"a","status":"in-progress","activeForm":"doing a","priority":3}]}`:                                       "[>] 1 a",
		`{"todos":[{"content":"a","status":"In Progress"},{"content":"b","status":"DONE"},{"content":"c"},{"id":null,"content":"d"}]}`: "[>] 1 a\n[x] 2 b\n[ ] 3 c\n[ ] 4 d",
		`{"todos":["a","b"]}`:                                                  "[ ] 1 a\n[ ] 2 b",
		`{"todos":"[{\"id\":\"x\",\"title\":\"a\"}]"}`:                         "[ ] x a",
		`{"todos":[{"id":"2","content":"a"},{"content":"b"}]}`:                 "[ ] 2 a\n[ ] 2.2 b",
		`{"todos":[{"id":7,"task":"a","subtasks":["b",{"id":8,"text":"c"}]}]}`: "[ ] 7 a\n  [ ] 7.1 b\n  [ ] 8 c",
		`{"todos":[{"id":"1","content":"a","subtasks":null}],"extra":null}`:    "[ ] 1 a",
		`{"todos":"later"}`: "[ ] 1 later",
	} {
		env := &Env{Todos: todo.NewBoard(nil, nil)}
		if got := answerOf(t, env, "todo_write", args); got.Error != "" {
			t.Errorf("%s: %s", args, got.Error)
		}
		if got := strings.Join(env.Todos.List().Lines(), "\n"); got != want {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
	}
}

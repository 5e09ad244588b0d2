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
	if got.Text != "The list is kept: 1 of 2 completed." {
		t.Errorf("%+v", got)
	}
	if got := answerOf(t, env, "todo_read", `{}`); got.Text != "[x] 1 read\n[>] 2 fix\n  [ ] 2a test" {
		t.Errorf("%+v", got)
	}
	for args, says := range map[string]string{
		`{"todos":[{"id":"1","content":"a","status":"pending"},{"id":"1","content":"b","status":"pending"}]}`: `todos[1].id is "1", which todos[0] has too`,
		`{"todos":[{"id":"1","content":"a","status":"soon"}]}`:                                                `todos[0].status is "soon"`,
		`{"todos":[{"content":"a","status":"pending"}]}`:                                                      "todos[0].id is empty",
		`{"todos":"later"}`: "todos",
		`{}`:                "todos",
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
	tool, err := NewRegistry(Default()...).Get(name)
	if err != nil {
		t.Fatal(err)
	}
	if tool.Kind != KindState {
		t.Errorf("D-45: %s is of the kind %s, whose results may be pruned", name, tool.Kind)
	}
	plan, err := tool.Plan(t.Context(), env, []byte(args))
	if err != nil {
		return Answer{Error: err.Error()}
	}
	return plan.Apply(t.Context())
}

package todo

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
)

func list(t *testing.T, text string) List {
	t.Helper()
	var l List
	if err := json.Unmarshal([]byte(text), &l); err != nil {
		t.Fatal(err)
	}
	return l
}

func TestCheckNamesTheField(t *testing.T) {
	t.Parallel()
	for text, field := range map[string]string{
		`[]`: "",
		`[{"id":"1","content":"a","status":"pending"}]`:                                                          "",
		`[{"id":"1","content":"a","status":"pending"},{"id":"1","content":"b","status":"pending"}]`:              "todos[1].id",
		`[{"id":"1","content":"a","status":"pending","subtasks":[{"id":"1","content":"b","status":"pending"}]}]`: "todos[0].subtasks[0].id",
		`[{"id":" ","content":"a","status":"pending"}]`:                                                          "todos[0].id",
		`[{"id":"1","content":"","status":"pending"}]`:                                                           "todos[0].content",
		`[{"id":"1","content":"a","status":"done"}]`:                                                             "todos[0].status",
		`[{"id":"1","content":"a","status":"pending","subtasks":[{"id":"2","content":"b","status":"pending","subtasks":[{"id":"3","content":"c","status":"pending"}]}]}]`: "todos[0].subtasks[0].subtasks",
		`[{"id":"1","content":"` + strings.Repeat("x", 1001) + `","status":"pending"}]`:                                                                                   "todos[0].content",
		`[` + strings.TrimSuffix(strings.Repeat(`{"id":"1","content":"a","status":"pending"},`, 101), ",") + `]`:                                                          "todos",
	} {
		err := list(t, text).Check()
		var wrong *FieldError
		if !errors.As(err, &wrong) {
			wrong = &FieldError{}
		}
		if wrong.Field != field {
			t.Errorf("%.80s: %v, want the field %q", text, err, field)
		}
	}
}

func TestProgress(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`[]`: "",
		`[{"id":"1","content":"a","status":"completed"},{"id":"2","content":"b","status":"pending"},{"id":"3","content":"c","status":"in_progress"}]`: "todo 1/3 · c",
		`[{"id":"1","content":"a","status":"completed"},{"id":"2","content":"b","status":"pending"}]`:                                                 "todo 1/2 · b",
		`[{"id":"1","content":"a","status":"completed"}]`:                                                                                             "todo 1/1",
		`[{"id":"1","content":"a","status":"in_progress","subtasks":[{"id":"2","content":"step","status":"in_progress"}]}]`:                           "todo 0/1 · step",
	} {
		if got := list(t, text).Progress().String(); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func TestLines(t *testing.T) {
	t.Parallel()
	l := list(t, `[{"id":"1","content":"a","status":"completed"},{"id":"2","content":"b\nc","status":"in_progress","subtasks":[{"id":"2.1","content":"d","status":"pending"}]}]`)
	want := []string{"[x] 1 a", "[>] 2 b c", "  [ ] 2.1 d"}
	if got := l.Lines(); !reflect.DeepEqual(got, want) {
		t.Errorf("%q", got)
	}
}

func TestBoardReportsChangesOnly(t *testing.T) {
	t.Parallel()
	var told []List
	b := NewBoard(nil, func(l List) { told = append(told, l) })
	one := List{{ID: "1", Content: "a", Status: Pending}}
	for _, l := range []List{nil, one, one, {}, nil} {
		if err := b.Set(l); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Set(List{{ID: "1"}}); err == nil || len(b.List()) != 0 {
		t.Errorf("a broken list was taken: %v", b.List())
	}
	if len(told) != 2 || len(told[0]) != 1 || len(told[1]) != 0 {
		t.Errorf("told %v", told)
	}
	if (*Board)(nil).List() != nil {
		t.Error("no board has a list")
	}
}

package chat

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"agent/internal/history"
	"agent/internal/todo"
	"agent/internal/tools"
)

const twoTodos = `{"todos":[{"id":"1","content":"look around","status":"completed"},{"id":"2","content":"fix it","status":"in_progress"}]}`

// planner adds the tools of the todo list to the bench.
func (b *bench) planner() {
	all := testTools().All()
	for _, name := range []string{"todo_write", "todo_read"} {
		tool, err := tools.NewRegistry(defaultTools()...).Get(name)
		if err != nil {
			b.t.Fatal(err)
		}
		all = append(all, tool)
	}
	b.config.Tools = tools.NewRegistry(all...)
	b.config.Env.Todos = todo.NewBoard(nil, nil)
	b.renew()
}

// The model writes the list without approval. The status shows it, and /clear removes it.
func TestTodosAreShown(t *testing.T) {
	t.Parallel()
	running(t, func(t *testing.T, b *bench) {
		b.planner()
		b.set("approval-mode", "read-only")
		b.Send("go")
		synctest.Wait()
		status := seen[StatusChanged](b)
		if got := status[len(status)-1].Status.Todo; got != "todo 1/2 · fix it" || len(seen[ApprovalRequested](b)) > 0 {
			t.Errorf("the status says %q", got)
		}
		if facts := b.config.Tools.Traits("todo_write"); facts.IsRetrievable() {
			t.Error("D-45: its results may be pruned")
		}
		if err := b.Clear(t.Context()); err != nil || len(b.config.Env.Todos.List()) > 0 {
			t.Errorf("after /clear: %v, %v", b.config.Env.Todos.List(), err)
		}
	}, calls("todo_write", twoTodos), say("done"))
}

// The loop passes the list to a compression, which includes it in the summary request. One entry
// then contains it, with every strategy and after repeated compressions (REQ-HD-011.2).
func TestTodosAreCarriedOver_REQ_HD_011_2(t *testing.T) {
	t.Parallel()
	for _, strategy := range []string{"one-shot", "middle-out", "top-down-truncation", "high-density"} {
		t.Run(strategy, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.planner()
			asked := ""
			b.model.next = func(n int) answerFunc {
				last := b.model.requests[n]
				switch {
				case last.System == b.config.CompressionPrompt:
					asked = last.History[0].Text()
					return say(aSummary)
				case n == 0:
					return calls("todo_write", twoTodos)
				}
				return say("ok")
			}
			b.config.CompressionPrompt = "sum it up"
			b.renew()
			b.set("compression.strategy", strategy)
			b.set("context-limit", "3000")
			for round := range 4 {
				if _, err := b.prompt(fmt.Sprint("round ", round)); err != nil {
					t.Fatal(err)
				}
				for i := range 12 {
					b.pair(fmt.Sprint(round, i), "read_file", fmt.Sprint(round, i), wordy(150))
				}
			}
			if _, err := b.prompt("and now"); err != nil {
				t.Fatal(err)
			}
			carried := 0
			for _, entry := range b.config.History.RawHistory() {
				if strings.HasPrefix(entry.Text(), "[The current todo list") {
					carried++
					if entry.Speaker != history.Human || entry.Metadata[history.MetaSummary] != true || !strings.HasSuffix(entry.Text(), "[x] 1 look around\n[>] 2 fix it") {
						t.Errorf("%q", entry.Text())
					}
				}
			}
			if carried != 1 {
				t.Errorf("%d entries carry the list: %q", carried, b.texts(history.Human))
			}
			if summarizes := strategy == "one-shot" || strategy == "middle-out"; summarizes != strings.Contains(asked, "[>] 2 fix it") {
				t.Errorf("asked %.300q", asked)
			}
			// Without new entries a compression does nothing (D-43). A completed list is not
			// included.
			if _, err := b.window.Compress(t.Context()); err != nil {
				t.Error(err)
			}
			if again, err := b.window.Compress(t.Context()); err != nil || again.Applied {
				t.Errorf("again: %+v, %v", again, err)
			}
			var done todo.List
			if err := json.Unmarshal([]byte(`[{"id":"1","content":"a","status":"completed"}]`), &done); err != nil {
				t.Fatal(err)
			}
			if err := b.config.Env.Todos.Set(done); err != nil || todoProgress(b.config.Env) != "" {
				t.Errorf("%q, %v", todoProgress(b.config.Env), err)
			}
		})
	}
}

// The next message contains a reminder that the list is not completed, once for each state of the
// list.
func TestTodosAreRemindedOf(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.planner()
	done := strings.ReplaceAll(twoTodos, "in_progress", "completed")
	b.model.next = func(n int) answerFunc {
		switch n {
		case 0:
			return calls("todo_write", twoTodos)
		case 3:
			return calls("todo_write", done)
		}
		return say("ok")
	}
	for range 4 {
		if _, err := b.prompt("go on"); err != nil {
			t.Fatal(err)
		}
	}
	var said []int
	for i, entry := range b.config.History.RawHistory() {
		if text, found := entry.KeyedText(todosKey); found {
			if said = append(said, i); text != "[Of the todo list, 1 of 2 are completed.]" {
				t.Errorf("it says %q", text)
			}
		}
	}
	if len(said) != 1 || said[0] != 4 {
		t.Errorf("the list is reminded of in the entries %v", said)
	}
}

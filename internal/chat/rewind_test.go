package chat

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"agent/internal/atcmd"
	"agent/internal/base/rawjson"
	"agent/internal/chat/window"
	"agent/internal/history"
	"agent/internal/session"
	"agent/internal/settings"
	"agent/internal/todo"
)

// recorded is a bench whose conversation is recorded in a session log.
type recorded struct {
	*bench
	log *session.Log
}

func newRecorded(t rapid.TB, dir string, turns ...answerFunc) *recorded {
	t.Helper()
	r := &recorded{bench: newBench(t, turns...)}
	log, err := session.Create(session.Options{Dir: dir, Workspace: "/w", Now: time.Now, Random: rand.Reader})
	if err != nil {
		t.Fatal(err)
	}
	r.log = log
	if whole, ok := t.(testing.TB); ok { // not for a draw of a property test
		whole.Cleanup(func() { _ = log.Close() })
	}
	r.config.History, r.config.Session = history.NewService(wordCount{}, log.Observe), log
	r.config.Env.Todos = todo.NewBoard(nil, func(list todo.List) {
		if text, err := rawjson.Marshal(append(todo.List{}, list...)); err != nil || log.RecordTodos(text) != nil {
			t.Error(err)
		}
	})
	r.renew()
	r.calibrate()
	return r
}

// calibrate makes the provider count half as many tokens again as we do. Displayed sizes use its
// tokens, recorded sizes use ours (D-09).
func (b *bench) calibrate() {
	b.window.Observe(settings.Model.Value(b.config.Settings), 1000, window.ProviderReport{Prompt: 1500})
}

// goTo rewinds without the loop, because the test owns the chat.
func (r *recorded) goTo(seq uint64) {
	r.t.Helper()
	point, restored, err := r.Past.past.StateAt(seq)
	if err != nil {
		r.t.Fatal(err)
	}
	if err := r.Past.rewind(point, restored); err != nil {
		r.t.Fatal(err)
	}
}

func (r *recorded) points() []history.Point {
	r.t.Helper()
	points, err := r.Past.Points(context.Background())
	if err != nil {
		r.t.Fatal(err)
	}
	return points
}

// A rewind returns the message and restores the todo list of that time. The next message starts a
// new branch.
func TestRewindReturnsTheMessage(t *testing.T) {
	t.Parallel()
	r := newRecorded(t, t.TempDir(), say("one"), say("two"), say("other"))
	defer r.log.Close()
	for _, text := range []string{"first", "second"} {
		if _, err := r.prompt(text); err != nil {
			t.Fatal(err)
		}
	}
	r.goTo(r.points()[1].Seq)
	returned := seen[MessageReturned](r.bench)
	if len(returned) != 1 || returned[0].Message.Text() != "second" || r.lastReply != "one" {
		t.Errorf("returned %+v, the last reply is %q", returned, r.lastReply)
	}
	if _, err := r.prompt("third"); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(r.texts(history.Human), " "); got != "first third" {
		t.Errorf("the model was told %q", got)
	}
	if got := len(r.points()); got != 4 { // first, second, the end of that branch, third
		t.Errorf("%d points", got)
	}
}

// A rewind waits for the end of a turn. It is refused without a record and for a number that is no
// point.
func TestRewindIsRefused(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	started := make(chan struct{})
	r := newRecorded(t, t.TempDir(), say("one"), calls("waits", `{}`))
	r.on = func(e Event) {
		if _, ok := e.(ToolStarted); ok {
			close(started)
		}
	}
	if _, err := r.prompt("first"); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { defer close(ended); r.Chat.Run(ctx) }()
	if _, _, err := r.Past.Rewind(ctx, 1, false); err == nil || !strings.Contains(err.Error(), "no message 1") {
		t.Errorf("no point: %v", err)
	}
	r.Chat.Send(atcmd.TypedMessage("second"))
	<-started
	if _, _, err := r.Past.Rewind(ctx, r.points()[0].Seq, false); !errors.Is(err, ErrBusy) {
		t.Errorf("while a turn runs: %v", err)
	}
	cancel()
	<-ended
	if err := r.log.Close(); err != nil {
		t.Error(err)
	}
	if _, err := newBench(t).Past.Points(t.Context()); err == nil || !strings.Contains(err.Error(), "--no-session") {
		t.Errorf("without a record: %v", err)
	}
}

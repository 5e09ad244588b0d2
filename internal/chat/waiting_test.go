package chat

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing"

	"agent/internal/atcmd"
	"agent/internal/history"
	"agent/internal/session"
)

// A queued message is on disk before it is shown. It is removed from the record only after it is in
// the history, so a kill at any time loses no message.
func TestQueuedMessagesAreRecorded(t *testing.T) {
	t.Parallel()
	r := newRecorded(t, t.TempDir())
	defer r.log.Close()
	typed := []string{"first", "one", "two", "three", "four"}
	r.model.next = func(n int) answerFunc {
		if n == 0 {
			return calls("waits", `{}`)
		}
		return say("ok")
	}
	r.config.KeepWaiting = func(messages []atcmd.Message) {
		var all []json.RawMessage
		for _, message := range messages {
			all = append(all, json.RawMessage(fmt.Sprintf("%q", message.Text())))
		}
		if err := r.log.RecordWaiting(all); err != nil {
			t.Error(err)
		}
	}
	r.renew()
	onDisk := func() (waiting, said []string) {
		state := replayed(t, r.log.Path())
		for _, message := range state.Waiting {
			waiting = append(waiting, string(message[1:len(message)-1]))
		}
		for _, entry := range state.Entries {
			if entry.Speaker == history.Human {
				said = append(said, entry.Text())
			}
		}
		return waiting, said
	}
	shown := 0
	r.on = func(e Event) {
		switch e := e.(type) {
		case ToolStarted:
			for _, text := range typed[1:] {
				r.Send(text)
			}
			r.Send("mistaken")
			r.inbox.post(func() { r.waiting.setQueue(r.waiting.queue[:len(r.waiting.queue)-1]) }) // like Unqueue
			r.Interrupt()
		case QueueChanged:
			waiting, said := onDisk()
			shown++
			for _, text := range e.Messages {
				if !slices.Contains(waiting, text) {
					t.Errorf("%q is shown as waiting, the disk has %q", text, waiting)
				}
			}
			for _, text := range typed[:len(said)] {
				if !slices.Contains(said, text) {
					t.Errorf("%q is neither said %q nor waits %q", text, said, waiting)
				}
			}
			if rest := len(said) + len(waiting); shown > len(typed) && rest < len(typed) {
				t.Errorf("of %d messages %q are said and %q wait", len(typed), said, waiting)
			}
		}
	}
	if _, err := r.prompt("first"); err != nil {
		t.Fatal(err)
	}
	if waiting, _ := onDisk(); !slices.Equal(waiting, typed[1:]) {
		t.Errorf("after the interrupt the disk has %q", waiting)
	}
	for r.inbox.serve(); len(r.waiting.queue) > 0; r.inbox.serve() {
		if _, err := r.work(context.Background(), r.nextTask()); err != nil {
			t.Fatal(err)
		}
	}
	if waiting, said := onDisk(); len(waiting) > 0 || !slices.Equal(said, typed) || shown < len(typed) {
		t.Errorf("at the end %q wait, %q are said, shown %d times", waiting, said, shown)
	}
}

// replayed returns the state that another program would read from the log now.
func replayed(t *testing.T, path string) session.State {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	state, err := session.Replay(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return state
}

// Messages that were queued when the program ended are returned to the user as one message and are
// not sent.
func TestQueuedMessagesAreReturned(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.config.Waited = []atcmd.Message{atcmd.TypedMessage("one"), {{Text: "two"}, {Text: "pasted", Source: history.SourcePasted}}}
	b.renew()
	ctx, cancel := context.WithCancel(context.Background())
	b.on = func(e Event) {
		if _, ok := e.(MessageReturned); ok {
			cancel()
		}
	}
	b.Run(ctx)
	returned := seen[MessageReturned](b)
	if len(returned) != 1 || returned[0].Message.Text() != "one\n\ntwopasted" || returned[0].Message[3].Source != history.SourcePasted || len(b.model.requests) > 0 {
		t.Errorf("returned %+v, %d requests", returned, len(b.model.requests))
	}
}

// Calls into a conversation that has ended return at once, however many there are.
func TestCallsAfterTheEndReturn(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	b.Run(ctx)
	b.inbox.end()
	for range 2 * cap(b.inbox.acts) {
		b.Chat.Send(atcmd.TypedMessage("abc"))
		b.Interrupt()
	}
	b.Shell("true", false)
	b.CycleMode()
	b.Answer(1, Decision{})
	if _, ok := b.Unqueue(t.Context()); ok {
		t.Error("a message came back")
	}
}

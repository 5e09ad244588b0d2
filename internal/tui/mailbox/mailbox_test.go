package mailbox

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/chat"
)

// deliveries runs a mailbox in a synctest bubble, and records its deliveries and their times.
type deliveries struct {
	mailbox *Mailbox
	stop    chan struct{}
	events  [][]chat.Event
	at      []time.Duration
}

func startDeliveries() *deliveries {
	d := &deliveries{mailbox: New(), stop: make(chan struct{})}
	began := time.Now()
	go d.mailbox.Deliver(d.stop, func(events []chat.Event) {
		d.events = append(d.events, events)
		d.at = append(d.at, time.Since(began))
	})
	return d
}

func TestMailboxJoinsDeltasToThirtyASecond(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := startDeliveries()
		var want strings.Builder
		for i := range 3000 {
			piece := fmt.Sprint(i, " ")
			want.WriteString(piece)
			d.mailbox.Put(chat.TextDelta{Delta: piece})
			time.Sleep(time.Second / 3000)
		}
		d.mailbox.Put(chat.ReplyEnded{})
		synctest.Wait()
		close(d.stop)
		synctest.Wait()
		if n := len(d.events); n < 25 || n > 33 {
			t.Errorf("%d deliveries in a second, want about 30", n)
		}
		var got strings.Builder
		for _, events := range d.events {
			for _, event := range events {
				if delta, ok := event.(chat.TextDelta); ok {
					got.WriteString(delta.Delta)
				}
			}
		}
		if got.String() != want.String() {
			t.Error("the deltas delivered are not those put")
		}
		last := d.events[len(d.events)-1]
		if _, ok := last[len(last)-1].(chat.ReplyEnded); !ok {
			t.Errorf("the last event delivered is %T", last[len(last)-1])
		}
	})
}

func TestMailboxDeliversEndsAtOnceAndInOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := startDeliveries()
		d.mailbox.Put(chat.TextDelta{Delta: "a"})
		synctest.Wait()
		d.mailbox.Put(chat.TextDelta{Delta: "b"})
		d.mailbox.Put(chat.TextDelta{Delta: "c"})
		d.mailbox.Put(chat.ReplyEnded{Text: "abc"})
		d.mailbox.Put(chat.ToolOutput{Call: 1, Data: "x"})
		d.mailbox.Put(chat.ToolOutput{Call: 2, Data: "y"})
		d.mailbox.Put(chat.ToolOutput{Call: 2, Data: "z"})
		d.mailbox.Put(chat.TurnEnded{})
		synctest.Wait()
		close(d.stop)
		synctest.Wait()
		var got []chat.Event
		for _, events := range d.events {
			got = append(got, events...)
		}
		want := []chat.Event{
			chat.TextDelta{Delta: "a"},
			chat.TextDelta{Delta: "bc"},
			chat.ReplyEnded{Text: "abc"},
			chat.ToolOutput{Call: 1, Data: "x"},
			chat.ToolOutput{Call: 2, Data: "yz"},
			chat.TurnEnded{},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
		if last := d.at[len(d.at)-1]; last != 0 {
			t.Errorf("an end was held back for %s", last)
		}
	})
}

// The mailbox keeps only the end of very long output.
func TestMailboxBoundsOutput(t *testing.T) {
	t.Parallel()
	m := New()
	for range 1000 {
		m.Put(chat.ToolOutput{Call: 1, Data: strings.Repeat("x", 1000)})
	}
	m.Put(chat.ToolOutput{Call: 1, Data: "the end"})
	got := m.take()[0].(chat.ToolOutput).Data
	if len(got) > 3*MaxOutputBytes || !strings.HasSuffix(got, "the end") {
		t.Errorf("%d bytes are kept, ending in %q", len(got), got[len(got)-7:])
	}
}

// Events in the conversations of subagents do not wake the screen.
func TestEventsOfAgentsAreDropped(t *testing.T) {
	t.Parallel()
	m := New()
	m.Put(chat.AgentEvent{ID: "s-abcde", Event: chat.TextDelta{Delta: "x"}})
	if events := m.take(); events != nil || len(m.arrived) > 0 {
		t.Errorf("%v", events)
	}
}

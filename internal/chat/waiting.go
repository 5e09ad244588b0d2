package chat

import (
	"context"
	"slices"

	"agent/internal/atcmd"
	"agent/internal/base/humanize"
)

// waiting holds the messages that wait for the turn loop.
type waiting struct {
	inbox inbox
	emit  emitter
	// keep records the messages that are not in the history yet. If it is nil, they are not recorded.
	keep func([]atcmd.Message)
	// left holds the messages that waited when the earlier program ended.
	left  []atcmd.Message
	queue []atcmd.Message
	// delivering holds messages that were removed from the queue and are not yet in the history.
	delivering []atcmd.Message
	// working is set while a turn runs.
	working bool
}

func (w *waiting) send(message atcmd.Message) {
	w.inbox.post(func() { w.setQueue(append(w.queue, message)) })
}

func (w *waiting) unqueue(ctx context.Context) (atcmd.Message, bool) {
	type taken struct {
		message atcmd.Message
		ok      bool
	}
	t, err := ask(ctx, w.inbox, func() taken {
		if len(w.queue) == 0 {
			return taken{}
		}
		last := w.queue[len(w.queue)-1]
		w.setQueue(w.queue[:len(w.queue)-1])
		return taken{last, true}
	})
	return t.message, err == nil && t.ok
}

// setQueue replaces the queue. An idle chat starts with the first message at once, and reports the
// others when the turn begins.
func (w *waiting) setQueue(queue []atcmd.Message) {
	w.queue = slices.Clone(queue)
	if w.working {
		w.keepWaiting()
		w.emit(QueueChanged{Messages: texts(w.queue)})
	}
}

// keepWaiting records the messages that are not in the history yet.
func (w *waiting) keepWaiting() {
	if w.keep != nil {
		w.keep(slices.Concat(w.delivering, w.queue))
	}
}

// noteDelivered records that the message being delivered is in the history, or was returned to the
// user.
func (w *waiting) noteDelivered() {
	w.delivering = nil
	w.keepWaiting()
}

// giveBackWaited returns the messages that were queued when the earlier program ended to the prompt, as
// one message. They are sent only when the user sends them.
func (w *waiting) giveBackWaited() {
	if len(w.left) == 0 {
		return
	}
	w.emit.notice("The last session ended before it sent %s. Press Enter to send now", humanize.Count(len(w.left), "message"))
	w.emit(MessageReturned{Message: atcmd.Join(w.left)})
	w.left = nil
}

func texts(messages []atcmd.Message) []string {
	all := make([]string, len(messages))
	for i, message := range messages {
		all[i] = message.Text()
	}
	return all
}

package script

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"agent/internal/frontend/clients"

	"agent/internal/app"
	"agent/internal/atcmd"
	"agent/internal/chat"
	"agent/internal/command"
	"agent/internal/streamjson"
)

// run holds the state of a run in progress.
type run struct {
	Options
	printer *streamjson.Printer
	stop    context.CancelFunc
	talk    *app.Conversation
	host    clients.Host
	// changed receives a value for each message and question, and at the end of each turn.
	changed chan struct{}

	mu sync.Mutex
	// waiting holds the messages that were read but not sent yet.
	waiting []atcmd.Message
	// open holds the open questions, by their ids.
	open map[int]chat.Approval
	last chat.TurnEnded
	done streamjson.Run
}

// event handles an event of the conversation, on the goroutine of the conversation.
func (r *run) event(event chat.Event) {
	r.host.AddEvent(event)
	r.mu.Lock()
	changes := false
	switch e := event.(type) {
	case chat.StatusChanged:
		r.done.Status, r.done.Stats = e.Status, e.Stats
	case chat.ApprovalRequested:
		r.open[e.Approval.ID], changes = e.Approval, true
	case chat.ApprovalSettled:
		delete(r.open, e.ID)
	case chat.TurnEnded:
		e.Outcome.Requests += r.last.Outcome.Requests
		e.Outcome.ToolCalls += r.last.Outcome.ToolCalls
		r.last, changes = e, true
		r.done.AddTurnChanges(e)
	}
	r.mu.Unlock()
	if r.printer.PrintEvent(event) != nil {
		r.stop()
	}
	if ended, is := event.(chat.TurnEnded); is && r.Streams {
		r.printer.Turn(ended)
	}
	if changes {
		r.change()
	}
}

// serve reads JSON lines from standard input: messages, answers to questions, and cancels. Each message
// begins a separate turn, after the earlier messages. The run ends once the input has ended and no work is
// left.
func (r *run) serve(ctx context.Context) (chat.Outcome, error) {
	ctx, end := r.talk.Serve(ctx, nil)
	if first := r.Message.Trim(); len(first) > 0 {
		r.talk.Chat.Send(first)
	}
	read := make(chan error, 1)
	go func() {
		read <- streamjson.ReadInput(r.In, func(in streamjson.Input, err error) { r.take(in, err) })
	}()
	err := r.talkOn(ctx, read)
	interrupted := ctx.Err() != nil
	defect := end()
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case defect != nil:
		return r.last.Outcome, defect
	case interrupted:
		return r.last.Outcome, context.Canceled
	case err != nil:
		return r.last.Outcome, fmt.Errorf("can't read standard input: %w", err)
	case r.last.Outcome.Stop == "":
		return chat.Outcome{Stop: chat.StopDone}, nil
	}
	return r.last.Outcome, r.last.Err
}

// talkOn sends one message after another, until the input has ended and no work is left. After the end of
// the input it answers all questions with no, because no answer can arrive any more. It returns the read
// error.
func (r *run) talkOn(ctx context.Context, read <-chan error) (err error) {
	for reading := true; ctx.Err() == nil; {
		idle := r.talk.Chat.CheckIdle(ctx) == nil
		switch message := r.next(idle); {
		case message != nil:
			if err := r.say(ctx, message); err != nil {
				r.printer.Problem(err)
			}
			continue
		case !reading && idle:
			return err
		case !reading:
			r.refuse()
		}
		select {
		case err = <-read:
			reading = false
		case <-r.changed:
		case <-ctx.Done():
		}
	}
	return err
}

// next removes and returns the first waiting message. It returns nil if there is none, or if a turn is
// running.
func (r *run) next(idle bool) (message atcmd.Message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if idle && len(r.waiting) > 0 {
		message, r.waiting = r.waiting[0], r.waiting[1:]
	}
	return message
}

// refuse answers all open approval prompts with no, because there is no user.
func (r *run) refuse() {
	r.mu.Lock()
	open := slices.Collect(maps.Keys(r.open))
	r.mu.Unlock()
	for _, id := range open {
		r.talk.Chat.Answer(id, chat.Decision{Reason: "the user is no longer there"})
	}
}

// change makes talkOn check the state again.
func (r *run) change() {
	select {
	case r.changed <- struct{}{}:
	default:
	}
}

// take handles a line of input, or the error in it.
func (r *run) take(in streamjson.Input, err error) {
	if err == nil {
		err = r.obey(in)
	}
	if err != nil {
		r.printer.Problem(err)
	}
}

func (r *run) obey(in streamjson.Input) error {
	switch in.Type {
	case "cancel":
		r.talk.Chat.Interrupt()
		return nil
	case "answer":
		r.mu.Lock()
		asked, open := r.open[in.ID]
		r.mu.Unlock()
		if !open {
			return fmt.Errorf("no question with the ID %d is waiting for an answer", in.ID)
		}
		decision, err := in.Decision(asked)
		if err == nil {
			r.talk.Chat.Answer(in.ID, decision)
		}
		return err
	}
	message, err := in.Message()
	if err != nil {
		return err
	}
	r.mu.Lock()
	r.waiting = append(r.waiting, message)
	r.mu.Unlock()
	r.change()
	return nil
}

// say sends a message, or runs it if it is a slash command.
func (r *run) say(ctx context.Context, message atcmd.Message) error {
	if message.FirstTypedByte() != '/' || !command.IsCommand(message[0].Text) {
		r.talk.Chat.Send(message)
		return nil
	}
	out, err := r.talk.Commands(ctx, r.talk.Chat, app.Screen{}).Run(ctx, message[0].Text)
	switch {
	case err != nil:
		return err
	case out.Submit != "":
		message[0].Text = out.Submit
		r.talk.Chat.Send(message)
	default:
		r.printer.Turn(chat.TurnEnded{Outcome: chat.Outcome{Stop: chat.StopDone, Response: strings.Join(out.PlainLines(), "\n")}})
	}
	return nil
}

package script

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"agent/internal/app"
	"agent/internal/atcmd"
	"agent/internal/chat"
	"agent/internal/command"
	"agent/internal/headless"
)

// stream is a headless run that takes lines of JSON on standard input: messages,
// answers to questions, cancels. The end of input ends it after the current turn.
type stream struct {
	printer *headless.Printer
	stop    context.CancelFunc
	talk    *app.Conversation
	// changed gets a value with each question and at the end of each turn.
	changed chan struct{}

	mu sync.Mutex
	// open are the questions that wait, by their ids.
	open map[int]chat.Approval
	last chat.TurnEnded
	run  *headless.Run
}

// event takes an event of the conversation, on its goroutine.
func (s *stream) event(e chat.Envelope) {
	s.mu.Lock()
	switch e := e.Event.(type) {
	case chat.StatusChanged:
		s.run.Status, s.run.Stats = e.Status, e.Stats
	case chat.ApprovalRequested:
		s.open[e.Approval.ID] = e.Approval
	case chat.ApprovalSettled:
		delete(s.open, e.ID)
	case chat.TurnEnded:
		requests, calls := s.last.Outcome.Requests, s.last.Outcome.ToolCalls
		s.last = e
		s.last.Outcome.Requests += requests
		s.last.Outcome.ToolCalls += calls
	}
	s.mu.Unlock()
	if s.printer.Event(e.Event) != nil {
		s.stop()
	}
	switch e := e.Event.(type) {
	case chat.TurnEnded:
		s.printer.Turn(e.Outcome, e.Err)
	case chat.ApprovalRequested:
	default:
		return
	}
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// serve runs the conversation until its input ends and nothing is left to do.
func (s *stream) serve(ctx context.Context, in io.Reader, first atcmd.Message) (chat.Outcome, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	served := make(chan struct{})
	go func() {
		defer close(served)
		if err := s.talk.Run(ctx); err != nil {
			cancel(err)
		}
	}()
	if len(first) > 0 {
		s.talk.Send(first)
	}
	read := make(chan error, 1)
	go func() {
		read <- headless.ReadInput(in, func(in headless.Input, err error) { s.take(ctx, in, err) })
	}()
	var err error
	select {
	case err = <-read:
		s.finish(ctx)
	case <-ctx.Done():
	}
	interrupted := ctx.Err() != nil
	cancel(nil)
	<-served
	s.mu.Lock()
	defer s.mu.Unlock()
	defect, met := errors.AsType[*app.DefectError](context.Cause(ctx))
	switch {
	case met:
		return s.last.Outcome, defect
	case interrupted:
		return s.last.Outcome, context.Canceled
	case err != nil:
		return s.last.Outcome, fmt.Errorf("reading standard input: %w", err)
	case s.last.Outcome.Stop == "":
		return chat.Outcome{Stop: chat.StopDone}, nil
	}
	return s.last.Outcome, s.last.Err
}

// finish waits until nothing is left to do. Questions that nobody can answer any more are
// refused.
func (s *stream) finish(ctx context.Context) {
	for s.talk.Idle(ctx) != nil && ctx.Err() == nil {
		s.mu.Lock()
		waiting := slices.Collect(maps.Keys(s.open))
		s.mu.Unlock()
		for _, id := range waiting {
			s.talk.Answer(id, chat.Decision{Reason: "nobody is there to ask any more"})
		}
		select {
		case <-s.changed:
		case <-ctx.Done():
		}
	}
}

// take does what a line says.
func (s *stream) take(ctx context.Context, in headless.Input, err error) {
	if err == nil {
		err = s.obey(ctx, in)
	}
	if err != nil {
		s.printer.Problem(err)
	}
}

func (s *stream) obey(ctx context.Context, in headless.Input) error {
	switch in.Type {
	case "cancel":
		s.talk.Interrupt()
		return nil
	case "answer":
		s.mu.Lock()
		asked, open := s.open[in.ID]
		s.mu.Unlock()
		if !open {
			return fmt.Errorf("no question %d waits for an answer", in.ID)
		}
		decision, err := in.Decision(asked)
		if err == nil {
			s.talk.Answer(in.ID, decision)
		}
		return err
	}
	message, err := in.Message()
	if err != nil {
		return err
	}
	if message.Leads() != '/' || !command.IsCommand(message[0].Text) {
		s.talk.Send(message)
		return nil
	}
	out, err := s.talk.Commands(ctx, s.talk.Chat, app.Screen{}).Run(ctx, message[0].Text)
	switch {
	case err != nil:
		return err
	case out.Submit != "":
		message[0].Text = out.Submit
		s.talk.Send(message)
	default:
		s.printer.Turn(chat.Outcome{Stop: chat.StopDone, Response: strings.Join(out.Plain(), "\n")}, nil)
	}
	return nil
}

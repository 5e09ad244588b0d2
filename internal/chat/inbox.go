package chat

import (
	"context"
	"errors"
)

// inbox transfers functions to the goroutine that owns a chat. An idle owner runs them at once. During
// a turn they run at the next wait.
type inbox struct {
	acts chan func()
	// over is closed when the owner has ended. Nothing waits for the owner after that.
	over chan struct{}
}

func newInbox() inbox { return inbox{make(chan func(), 64), make(chan struct{})} }

// errOver is returned if the owner of the chat has ended.
var errOver = errors.New("the conversation has ended")

// post sends work to the owner. The work is lost if the owner has ended.
func (in inbox) post(act func()) { in.give(nil, act) }

// give sends work to the owner as post does, but stops waiting when over is closed.
func (in inbox) give(over <-chan struct{}, act func()) {
	select {
	case in.acts <- act:
	case <-in.over:
	case <-over:
	}
}

// end marks that the owner has ended.
func (in inbox) end() { close(in.over) }

// serve runs the functions that are in the inbox, and does not wait for more.
func (in inbox) serve() {
	for {
		select {
		case act := <-in.acts:
			act()
		default:
			return
		}
	}
}

// ask runs question on the owner and returns its answer.
func ask[T any](ctx context.Context, in inbox, question func() T) (T, error) {
	answer := make(chan T, 1)
	select {
	case in.acts <- func() { answer <- question() }:
	case <-in.over:
		return *new(T), errOver
	case <-ctx.Done():
		return *new(T), ctx.Err()
	}
	select {
	case a := <-answer:
		return a, nil
	case <-in.over:
		return *new(T), errOver
	case <-ctx.Done():
		return *new(T), ctx.Err()
	}
}

// try runs question on the owner as ask does, and also returns its error.
func try[T any](ctx context.Context, in inbox, question func() (T, error)) (T, error) {
	var failed error
	answer, err := ask(ctx, in, func() (a T) {
		a, failed = question()
		return a
	})
	if err != nil {
		return answer, err // the owner may still run the question and set failed
	}
	return answer, failed
}

// await serves the inbox until ch delivers. It reports false if ch is closed.
func await[T any](in inbox, ch <-chan T) (T, bool) {
	return awaitWithin(context.Background(), in, ch)
}

// awaitWithin does the same as await, but also reports false if ctx ends first.
func awaitWithin[T any](ctx context.Context, in inbox, ch <-chan T) (v T, ok bool) {
	for {
		select {
		case v, ok = <-ch:
			return v, ok
		case <-ctx.Done():
			return v, false
		case act := <-in.acts:
			act()
		}
	}
}

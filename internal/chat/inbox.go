package chat

import "context"

// inbox carries functions to the goroutine that owns a chat. An idle owner runs them at once;
// during a turn they run at the next wait.
type inbox chan func()

func newInbox() inbox { return make(inbox, 64) }

// post hands work to the owner.
func (in inbox) post(act func()) { in <- act }

// give hands work to an owner that may have ended. It waits until over is closed.
func (in inbox) give(over <-chan struct{}, act func()) {
	select {
	case in <- act:
	case <-over:
	}
}

// serve runs the functions in the inbox, and does not wait for more.
func (in inbox) serve() {
	for {
		select {
		case act := <-in:
			act()
		default:
			return
		}
	}
}

// ask runs a question on the owner and returns its answer.
func ask[T any](ctx context.Context, in inbox, question func() T) (T, error) {
	answer := make(chan T, 1)
	select {
	case in <- func() { answer <- question() }:
	case <-ctx.Done():
		return *new(T), ctx.Err()
	}
	select {
	case a := <-answer:
		return a, nil
	case <-ctx.Done():
		return *new(T), ctx.Err()
	}
}

// try is like ask for a question that may fail.
func try[T any](ctx context.Context, in inbox, question func() (T, error)) (T, error) {
	var failed error
	answer, err := ask(ctx, in, func() (a T) {
		a, failed = question()
		return a
	})
	if err != nil {
		return answer, err // the owner may still run the question and write failed
	}
	return answer, failed
}

// await serves the inbox until ch delivers. It reports false if ch is closed.
func await[T any](in inbox, ch <-chan T) (T, bool) {
	return awaitWithin(context.Background(), in, ch)
}

// awaitWithin is like await, but also reports false if ctx ends first.
func awaitWithin[T any](ctx context.Context, in inbox, ch <-chan T) (v T, ok bool) {
	for {
		select {
		case v, ok = <-ch:
			return v, ok
		case <-ctx.Done():
			return v, false
		case act := <-in:
			act()
		}
	}
}

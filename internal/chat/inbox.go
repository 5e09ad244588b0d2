package chat

import "context"

// inbox is how others reach the goroutine that owns a chat: what they want done is
// done there, at once when the chat is idle and at the next wait when a turn runs.
type inbox chan func()

func newInbox() inbox { return make(inbox, 64) }

// post hands work to the owner.
func (in inbox) post(act func()) { in <- act }

// serve does what the inbox holds without waiting.
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

// try is ask for what can fail.
func try[T any](ctx context.Context, in inbox, question func() (T, error)) (T, error) {
	var failed error
	answer, err := ask(ctx, in, func() (a T) {
		a, failed = question()
		return a
	})
	if err != nil {
		return answer, err // the question may be asked yet
	}
	return answer, failed
}

// await serves the inbox until ch delivers. It reports false when ch is closed.
func await[T any](in inbox, ch <-chan T) (T, bool) {
	return awaitWithin(context.Background(), in, ch)
}

// awaitWithin is await that reports false when ctx ends first.
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

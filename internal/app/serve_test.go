package app_test

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"agent/internal/app"
	"agent/internal/atcmd"
	"agent/internal/chat"
	"agent/internal/settings"
)

// The caller of Serve learns of a panic in the event loop at once and at the end. A loop that never
// became ready or that was interrupted ends without an error.
func TestServe(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	open := func(events func(chat.Event)) *app.Conversation {
		s, err := p.Settings(app.Sources{Set: []string{settings.BaseURL.Key() + "=http://127.0.0.1:1", settings.Model.Key() + "=m"}})
		if err != nil {
			t.Fatal(err)
		}
		c, err := app.New(t.Context(), p, app.Options{Settings: s, Events: events})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		return c
	}

	c := open(func(chat.Event) { panic("boom") })
	ready := make(chan struct{})
	serving, end := c.Serve(t.Context(), ready)
	c.Chat.Send(atcmd.TypedMessage("hi"))
	close(ready)
	<-serving.Done()
	for range 2 {
		if defect, met := errors.AsType[*app.PanicError](end()); !met || defect.Value != "boom" {
			t.Errorf("ended with %v", defect)
		}
	}

	c = open(func(e chat.Event) { t.Errorf("%T before it was ready", e) })
	_, end = c.Serve(t.Context(), make(chan struct{}))
	c.Chat.Send(atcmd.TypedMessage("hi"))
	if err := end(); err != nil {
		t.Errorf("never ready: %v", err)
	}

	var over atomic.Bool
	began, first := make(chan struct{}), sync.Once{}
	c = open(func(chat.Event) {
		first.Do(func() {
			close(began)
			<-serving.Done()
			runtime.Gosched() // gives an end that does not wait the chance to return
			over.Store(true)
		})
	})
	ready = make(chan struct{})
	serving, end = c.Serve(t.Context(), ready)
	c.Chat.Send(atcmd.TypedMessage("hi"))
	close(ready)
	<-began
	if err := end(); err != nil || !over.Load() {
		t.Errorf("interrupted: %v, the loop has ended: %v", err, over.Load())
	}
}

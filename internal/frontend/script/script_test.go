package script

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"agent/internal/app"
	"agent/internal/atcmd"
	"agent/internal/chat"
	"agent/internal/llm"
)

// A panic during a run is reported as an error with the path of its trace. The trace itself is not
// printed.
func TestDefectInARun(t *testing.T) {
	t.Parallel()
	p := &app.Process{Home: t.TempDir(), Dir: t.TempDir(), Now: time.Now}
	defer p.Close()
	s, err := p.Settings(app.Sources{Set: []string{"base-url=http://127.0.0.1:1", "model=m"}})
	if err != nil {
		t.Fatal(err)
	}
	c, err := app.New(t.Context(), p, app.Options{Settings: s, Events: func(chat.Event) { panic("boom") }})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	outcome, err := respond(t.Context(), c, atcmd.TypedMessage("hi"))
	if outcome.Stop != chat.StopFailed || err == nil {
		t.Fatalf("%+v, %v", outcome, err)
	}
	log, _ := p.Log()
	trace, _ := os.ReadFile(log.Path)
	if !strings.Contains(err.Error(), "Internal error: boom") || !strings.Contains(err.Error(), log.Path) || !strings.Contains(string(trace), "script_test.go") {
		t.Errorf("got %v, logged:\n%s", err, trace)
	}
}

// The exit status marks errors of usage. Errors that occur during the run have another status.
func TestRefusalStatus(t *testing.T) {
	t.Parallel()
	for err, wrong := range map[error]bool{
		errors.New("no such setting"):                    true,
		context.Canceled:                                 false,
		&llm.Error{Kind: llm.Unavailable}:                false,
		&app.PanicError{Value: "boom", Log: "agent.log"}: false,
		errors.Join(io.EOF, io.ErrShortWrite):            true,
	} {
		if got := refusal(err); errors.As(got, new(app.InputError)) != wrong {
			t.Errorf("%v: %#v", err, got)
		}
	}
}

package chat

import (
	"crypto/rand"
	"errors"
	"fmt"
	"testing"
	"time"

	"agent/internal/compression"
	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/session"
)

// If the program is killed before the model reads the result of a large call, the model does not
// repeat the call after the resume. The next request contains the answer, or a line that states the
// result, even if the provider refuses its size (D-42). Each strategy is combined with each context
// window, each refusal and each tool.
func TestLargeCallIsNotRepeatedAfterResume(t *testing.T) {
	t.Parallel()
	for i, strategy := range few(compression.Names()) {
		for j, c := range []struct {
			limit, percent int
			refused        bool
		}{{8000, 150, false}, {16_000, 60, false}, {16_000, 60, true}} { // after a refusal in a window of 8000, the system prompt would not fit
			tool := largeTools[(i+j)%len(largeTools)]
			t.Run(fmt.Sprintf("%s %d %s refused %t", strategy, c.limit, tool, c.refused), func(t *testing.T) {
				t.Parallel()
				call := largeCalls(t, program(c.limit*c.percent/100))[tool]
				repeatedAfterResume(t, &honestModel{calls: []llm.ToolCall{call}}, strategy, c.limit, c.refused)
			})
		}
	}
}

func repeatedAfterResume(t *testing.T, h *honestModel, strategy string, limit int, refused bool) {
	options := session.Options{Dir: t.TempDir(), Workspace: "/w", Now: time.Now, Random: rand.Reader}
	log, err := session.Create(options)
	if err != nil {
		t.Fatal(err)
	}
	b := honestBench(t, h, strategy, limit)
	config := b.config
	config.History = history.NewService(letters{}, log.Observe)
	b.Chat = New(config)
	killed := errors.New("killed")
	b.model.next = func(n int) answerFunc {
		if n > 0 {
			return fail(killed)
		}
		return h.answer
	}
	if _, err := b.prompt("write gen.py"); !errors.Is(err, killed) {
		t.Fatal(err)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	log, state, err := session.Resume(log.Path(), options)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	config.History = history.NewService(letters{}, log.Observe)
	if b.Chat, err = Resume(config, state); err != nil {
		t.Fatal(err)
	}
	asked := 0
	b.model.next = func(int) answerFunc {
		if asked++; refused && asked == 1 {
			return fail(&llm.Error{Kind: llm.ContextOverflow, Message: "too long"})
		}
		return h.answer
	}
	said := "go on"
	if !refused {
		said += program(limit / 10)
	}
	if out, err := b.prompt(said); err != nil || out.Response != "done" || h.asked != 2 {
		t.Fatalf("%d requests, %q, %v", h.asked, out.Response, err)
	}
	if err := history.Validate(b.model.requests[len(b.model.requests)-1].History); err != nil {
		t.Error(err)
	}
}

package llm_test

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"agent/internal/llm"
)

// providerFunc implements a provider with one function.
type providerFunc func(ctx context.Context, req llm.Request, yield func(llm.Chunk, error) bool)

func (f providerFunc) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) { f(ctx, req, yield) }
}

// outcome reads a reply and returns its notes and its error.
func outcome(ctx context.Context, p llm.Provider, req llm.Request) (notes []string, err error) {
	for chunk, failed := range p.Stream(ctx, req) {
		if adapted, ok := chunk.(llm.AdaptedRequest); ok {
			notes = append(notes, adapted.Note)
		}
		err = failed
	}
	return notes, err
}

// TestAttemptsByFailure checks that the number of attempts depends on the cost of an attempt and on
// whether the provider has answered before.
func TestAttemptsByFailure(t *testing.T) {
	t.Parallel()
	outage := llm.Error{Kind: llm.Unavailable, Unreachable: true}
	for name, tt := range map[string]struct {
		failure llm.Error
		// before is set if a complete reply precedes the failure.
		before   bool
		attempts int
	}{
		"a server error":                     {llm.Error{Kind: llm.Unavailable}, false, 9},
		"a silent server":                    {llm.Error{Kind: llm.Unavailable, Costly: true}, false, 3},
		"final":                              {llm.Error{Kind: llm.Unavailable, Final: true}, false, 1},
		"never reached":                      {outage, false, 3},
		"an outage after a reply":            {outage, true, 9},
		"a request that is refused for good": {llm.Error{Kind: llm.BadRequest}, true, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answers := tt.before
			failing := providerFunc(func(_ context.Context, _ llm.Request, yield func(llm.Chunk, error) bool) {
				if answers {
					yield(llm.Finish{Reason: "stop"}, nil)
					return
				}
				again := tt.failure
				yield(nil, &again)
			})
			provider := llm.Retry(failing, llm.RetryPolicy{Sleep: func(context.Context, time.Duration) error { return nil }})
			req := llm.Request{Model: "m"}
			if answers {
				if _, err := outcome(t.Context(), provider, req); err != nil {
					t.Fatal(err)
				}
				answers = false
			}
			_, err := outcome(t.Context(), provider, req)
			var failed *llm.Error
			if !errors.As(err, &failed) || failed.Attempts != tt.attempts {
				t.Errorf("%v, want %d attempts", err, tt.attempts)
			}
		})
	}
}

// kept stores the lessons of a test.
type kept map[string]string

func (k kept) Learned(model string) string { return k[model] }
func (k kept) Keep(model, d string)        { k[model] = d }

// wants is an endpoint that accepts only a dialect with all its words. Otherwise it refuses and
// names the first missing word.
type wants struct {
	words []string
	spoke []string
}

func (w *wants) speak(d string) llm.Provider {
	return providerFunc(func(_ context.Context, _ llm.Request, yield func(llm.Chunk, error) bool) {
		w.spoke = append(w.spoke, d)
		for _, word := range w.words {
			if !strings.Contains(d, word) {
				yield(nil, &llm.Error{Kind: llm.BadRequest, Message: "Say " + word})
				return
			}
		}
		yield(llm.Finish{Reason: "stop"}, nil)
	})
}

// learnWord adds the word in a refusal to the dialect, except "no".
func learnWord(d string, _ llm.Request, refusal string) (wanted, note string) {
	word := strings.TrimPrefix(refusal, "say ")
	if word == "no" {
		return d, ""
	}
	return d + word, "with " + word
}

// If a refusal teaches a new dialect, Adapt repeats the request in that dialect at once. Later
// requests to the same model use it too, and an accepted dialect is stored.
func TestAdapt(t *testing.T) {
	t.Parallel()
	server, memory := &wants{words: []string{"a", "b"}}, kept{}
	p := llm.Adapt(server.speak, learnWord, memory)
	for _, want := range [][]string{{"with a", "with b"}, nil} {
		if notes, err := outcome(t.Context(), p, llm.Request{Model: "m"}); err != nil || !slices.Equal(notes, want) {
			t.Errorf("notes %q, %v", notes, err)
		}
	}
	if want := []string{"", "a", "ab", "ab"}; !slices.Equal(server.spoke, want) {
		t.Errorf("asked in %q", server.spoke)
	}
	if memory["m"] != "ab" || len(memory) != 1 {
		t.Errorf("kept %v", memory)
	}
	again := &wants{words: []string{"a", "b"}}
	if _, err := outcome(t.Context(), llm.Adapt(again.speak, learnWord, memory), llm.Request{Model: "m"}); err != nil || len(again.spoke) != 1 {
		t.Errorf("the next run asked in %q, %v", again.spoke, err)
	}
}

// Adapt returns a refusal that teaches nothing new, and a refusal after too many lessons.
func TestAdaptGivesUp(t *testing.T) {
	t.Parallel()
	for asked, words := range map[int][]string{1: {"no"}, 6: {"a", "b", "c", "d", "e", "f", "g"}} {
		server := &wants{words: words}
		_, err := outcome(t.Context(), llm.Adapt(server.speak, learnWord, nil), llm.Request{Model: "m"})
		if err == nil || len(server.spoke) != asked {
			t.Errorf("asked in %q, %v", server.spoke, err)
		}
	}
}

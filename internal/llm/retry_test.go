package llm_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"agent/internal/llm"
)

// attemptsOf returns a provider that answers each attempt in turn with an optional text and a
// failure.
func attemptsOf(failures ...llm.Error) llm.Provider {
	n := 0
	return providerFunc(func(_ context.Context, _ llm.Request, yield func(llm.Chunk, error) bool) {
		n++
		if n > len(failures) {
			yield(llm.Finish{Reason: "stop"}, nil)
			return
		}
		failure := failures[n-1]
		if failure.Message != "" && !yield(llm.Text{Delta: failure.Message}, nil) {
			return
		}
		yield(nil, &failure)
	})
}

// A wait precedes each retry. It is the time that the server requests, or twice the previous wait
// plus a random part, up to a minute. If the server requests more than two minutes, the user
// decides.
func TestRetryWaits(t *testing.T) {
	t.Parallel()
	of := func(kind llm.ErrorKind, after time.Duration, words string) llm.Error {
		return llm.Error{Kind: kind, RetryAfter: after, Message: words}
	}
	down := of(llm.Unavailable, 0, "")
	for name, tc := range map[string]struct {
		failures []llm.Error
		want     string // the waits, "!" if the partial reply is discarded, and the final result
	}{
		"longer and longer":           {slices.Repeat([]llm.Error{down}, 8), "2 750ms, 3 1.5s, 4 3s, 5 6s, 6 12s, 7 24s, 8 45s, 9 45s, done"},
		"too often":                   {slices.Repeat([]llm.Error{down}, 9), "2 750ms, 3 1.5s, 4 3s, 5 6s, 6 12s, 7 24s, 8 45s, 9 45s, failed 9"},
		"as asked":                    {[]llm.Error{of(llm.RateLimit, 2*time.Minute, ""), of(llm.Unavailable, time.Second, "")}, "2 2m0s, 3 1s, done"},
		"too long":                    {[]llm.Error{of(llm.RateLimit, 2*time.Minute+1, "")}, "failed 1; the server asks you to wait 2m0s"},
		"a part of a reply":           {[]llm.Error{of(llm.Truncated, 0, "a"), of(llm.Truncated, 0, "b")}, "2 750ms!, 3 1.5s!, done"},
		"the same part":               {[]llm.Error{of(llm.Truncated, 0, "a"), of(llm.Truncated, 0, "a")}, "2 750ms!, failed 2"},
		"the same part, then a limit": {[]llm.Error{of(llm.Truncated, 0, "a"), of(llm.RateLimit, 0, "a")}, "2 750ms!, 3 1.5s!, done"},
		"of no use":                   {[]llm.Error{of(llm.Auth, 0, "")}, "failed 1"},
	} {
		policy := llm.RetryPolicy{Sleep: func(context.Context, time.Duration) error { return nil }, Jitter: func() float64 { return 0.5 }}
		var got []string
		for chunk, err := range llm.Retry(attemptsOf(tc.failures...), policy).Stream(t.Context(), llm.Request{Model: "m"}) {
			var failed *llm.Error
			switch c := chunk.(type) {
			case llm.RetryNotice:
				got = append(got, fmt.Sprint(c.Attempt, " ", c.Delay))
				if c.Discard {
					got[len(got)-1] += "!"
				}
			case llm.Finish:
				got = append(got, "done")
			}
			if errors.As(err, &failed) {
				got = append(got, fmt.Sprint("failed ", failed.Attempts, "; ", failed.Hint))
			}
		}
		if all := strings.Join(got, ", "); !strings.HasPrefix(all, tc.want) {
			t.Errorf("%s: %s, want %s", name, all, tc.want)
		}
	}
}

// An interrupted wait ends the request, and no retry follows.
func TestRetryEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	policy := llm.RetryPolicy{Sleep: func(context.Context, time.Duration) error { cancel(); return nil }}
	if _, err := outcome(ctx, llm.Retry(attemptsOf(llm.Error{}), policy), llm.Request{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// Two timeouts limit how long a server may be silent: before the first part of a reply, and after it.
// A third one limits how long a server may send only keep-alives.
func TestWatch(t *testing.T) {
	t.Parallel()
	const first, idle = 10 * time.Second, 4 * time.Second
	life, token, word := llm.Heartbeat{}, llm.Heartbeat{Token: true}, llm.Text{Delta: "a"}
	type step struct {
		after time.Duration
		chunk llm.Chunk
	}
	for name, tc := range map[string]struct {
		steps []step
		want  string // a part of the error, or empty for none
		took  time.Duration
	}{
		"in time":                      {[]step{{first - 1, word}, {idle - 1, word}}, "", first + idle - 2},
		"silent from the start":        {[]step{{first + 1, word}}, "sent nothing for 10s", first},
		"signs of life alone":          {slices.Repeat([]step{{6 * time.Second, life}}, 4), "sent only keep-alives for 20s", 2 * first},
		"signs of life, then a part":   {[]step{{6 * time.Second, life}, {6 * time.Second, life}, {6 * time.Second, word}}, "", 18 * time.Second},
		"silent after signs of life":   {[]step{{6 * time.Second, life}, {first + 1, word}}, "sent nothing for 10s", 6*time.Second + first},
		"silent after a part":          {[]step{{first - 1, word}, {idle + 1, word}}, "sent nothing for 4s", first - 1 + idle},
		"silent after a hidden part":   {[]step{{first - 1, token}, {idle + 1, word}}, "sent nothing for 4s", first - 1 + idle},
		"signs of life after a part":   {[]step{{0, word}, {3 * time.Second, life}, {3 * time.Second, life}, {3 * time.Second, word}}, "", 9 * time.Second},
		"signs of life after it alone": {append([]step{{0, word}}, slices.Repeat([]step{{3 * time.Second, life}}, 7)...), "sent only keep-alives for 20s", 2 * first},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				server := providerFunc(func(ctx context.Context, _ llm.Request, yield func(llm.Chunk, error) bool) {
					for _, s := range tc.steps {
						if err := llm.Sleep(ctx, s.after); err != nil {
							yield(nil, err)
							return
						}
						if !yield(s.chunk, nil) {
							return
						}
					}
				})
				start := time.Now()
				_, err := outcome(t.Context(), llm.WatchStalls(server, "x"), llm.Request{Model: "m", Patience: &llm.Patience{First: first, Idle: idle}})
				var failed *llm.Error
				switch {
				case errors.As(err, &failed):
					if failed.Message != tc.want || !failed.Costly || failed.Kind != llm.Unavailable || failed.Where != "x, model m" {
						t.Errorf("%+v", failed)
					}
				case tc.want != "" || err != nil:
					t.Errorf("ended with %v", err)
				}
				if took := time.Since(start); took != tc.took {
					t.Errorf("took %v, want %v", took, tc.took)
				}
			})
		})
	}
}

// Redact removes API keys from errors. It ignores a key that is too short, because its removal
// would make the error unreadable.
func TestRedact(t *testing.T) {
	t.Parallel()
	for key, want := range map[llm.Key]string{"12345678": "at …, model m: you sent … (2 attempts); check …", "none": "at none, model m: you sent none (2 attempts); check none"} {
		k := string(key)
		server := providerFunc(func(_ context.Context, _ llm.Request, yield func(llm.Chunk, error) bool) {
			yield(nil, &llm.Error{Where: "at " + k + ", model m", Message: "you sent " + k, Hint: "check " + k, Attempts: 2})
		})
		_, err := outcome(t.Context(), llm.Redact(server, keysOf(key)), llm.Request{})
		if got := strings.ReplaceAll(err.Error(), key.String(), "…"); got != want && k != "none" || k == "none" && err.Error() != want {
			t.Errorf("%s", err)
		}
	}
	if llm.Key("").String() != "" || llm.Key("k").String() == "k" {
		t.Error("a key prints as a placeholder, none as nothing")
	}
	if cause := errors.New("x"); llm.RedactError(cause, keysOf("k")) != cause {
		t.Error("another error changes")
	}
}

// keysOf returns a list with one API key.
func keysOf(key llm.Key) *llm.Keys {
	keys := &llm.Keys{}
	keys.Add(key)
	return keys
}

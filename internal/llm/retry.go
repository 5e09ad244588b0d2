package llm

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// The waits between attempts. Before attempt n+1 the wait is a random part of
// firstDelay·2ⁿ⁻¹ (full jitter), so that clients that failed together do not come
// back together; it is never more than maxDelay.
const (
	firstDelay = time.Second
	maxDelay   = 30 * time.Second
	// maxRetryAfter is the longest wait a server may ask for. Beyond it a person
	// decides.
	maxRetryAfter = 2 * time.Minute
	// dialAttempts bounds the attempts when nothing answers at all: a mistyped
	// address should be told within seconds.
	dialAttempts = 3
	// costlyAttempts bounds the attempts that cost minutes or paid tokens.
	costlyAttempts = 3
)

// RetryPolicy says how often and when Retry asks again. The zero value is 5
// attempts with the real clock.
type RetryPolicy struct {
	// MaxAttempts bounds the requests for one reply; 0 means 5.
	MaxAttempts int
	// Sleep waits between attempts and returns ctx's error when it ends first;
	// Jitter returns a number in [0, 1). Nil means the real ones.
	Sleep  func(ctx context.Context, d time.Duration) error
	Jitter func() float64
}

const defaultMaxAttempts = 5

// Retry wraps p so that a request that failed is made again while that can help:
// for Unavailable, RateLimit and Truncated, unless the *Error is Final. It waits
// between attempts, as long as the provider asks (Error.RetryAfter) or longer and
// longer, and announces every attempt by a Retrying chunk. The error it gives up
// with has Attempts set. Once ctx has ended nothing more is sent.
func Retry(p Provider, policy RetryPolicy) Provider {
	if policy.MaxAttempts == 0 {
		policy.MaxAttempts = defaultMaxAttempts
	}
	if policy.Sleep == nil {
		policy.Sleep = sleep
	}
	if policy.Jitter == nil {
		policy.Jitter = rand.Float64
	}
	return &retrying{p, policy}
}

type retrying struct {
	provider Provider
	policy   RetryPolicy
}

// Stream implements Provider.
func (r *retrying) Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		var previous attempt
		for number := 1; ; number++ {
			latest := attempt{yield: yield}
			failure := latest.run(ctx, r.provider, req)
			if failure == nil {
				return
			}
			// The same bytes again will not be better the third time.
			failure.Final = failure.Final || failure.Kind == Truncated && latest.begun && latest.said == previous.said
			failure.Attempts = number
			previous = latest
			delay, again := r.policy.delay(failure)
			if !again {
				yield(nil, failure)
				return
			}
			if !yield(Retrying{Attempt: number + 1, Delay: delay, Reason: failure.Message, Discard: latest.begun}, nil) {
				return
			}
			if r.policy.Sleep(ctx, delay) != nil || ctx.Err() != nil {
				yield(nil, ctx.Err())
				return
			}
		}
	}
}

// attempt is one request and what came of it.
type attempt struct {
	yield func(Chunk, error) bool
	// begun is set when a part of the reply was yielded; said identifies its deltas.
	begun bool
	said  [sha256.Size]byte
}

// run yields one reply. It returns the failure after which another attempt may
// help, nil when there is nothing more to do: the reply is complete, the consumer
// has left, or the error is passed on.
func (a *attempt) run(ctx context.Context, p Provider, req Request) *Error {
	said := sha256.New()
	defer func() { said.Sum(a.said[:0]) }()
	for chunk, err := range p.Stream(ctx, req) {
		var failure *Error
		if ctx.Err() == nil && errors.As(err, &failure) {
			return failure
		}
		if err == nil {
			if _, pulse := chunk.(Pulse); !pulse {
				a.begun = true
				_, _ = fmt.Fprintf(said, "%T%v", chunk, chunk)
			}
		}
		if !a.yield(chunk, err) || err != nil {
			return nil
		}
	}
	return nil
}

// delay says how long to wait before the next attempt after failure, and whether
// there is to be one.
func (p RetryPolicy) delay(failure *Error) (time.Duration, bool) {
	most := p.MaxAttempts
	if failure.Unreachable {
		most = min(most, dialAttempts)
	}
	if failure.Costly {
		most = min(most, costlyAttempts)
	}
	retried := failure.Kind == Unavailable || failure.Kind == RateLimit || failure.Kind == Truncated
	if !retried || failure.Final || failure.Attempts >= most {
		return 0, false
	}
	if asked := failure.RetryAfter; asked > 0 {
		if asked > maxRetryAfter {
			failure.Hint = fmt.Sprintf("it asks to wait %s; %s", asked.Round(time.Second), hintLater)
			return 0, false
		}
		return asked, true
	}
	ceiling := min(firstDelay<<(failure.Attempts-1), maxDelay)
	return time.Duration(p.Jitter() * float64(ceiling)), true
}

// sleep waits for d or until ctx ends.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// retryAfter reads how long a server asks to wait: milliseconds, seconds or a date.
// It returns 0 when the server does not say, and never a negative time.
func retryAfter(header http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(header.Get("Retry-After-Ms"), 64); err == nil {
		return seconds(ms / 1000)
	}
	value := strings.TrimSpace(header.Get("Retry-After"))
	if s, err := strconv.ParseFloat(value, 64); err == nil {
		return seconds(s)
	}
	if date, err := http.ParseTime(value); err == nil {
		return max(date.Sub(now), 0)
	}
	return 0
}

// seconds bounds what a header may say to what a Duration can hold.
func seconds(s float64) time.Duration {
	const most = 365 * 24 * 3600
	if !(s > 0) {
		return 0
	}
	return time.Duration(min(s, most) * float64(time.Second))
}

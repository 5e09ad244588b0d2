package llm

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"sync/atomic"
	"time"
)

// The waits between attempts. Before attempt n+1 the wait is at least firstDelay·2ⁿ⁻¹, up to maxDelay.
// A random part of the same length is added, so that clients that failed together do not retry
// together.
const (
	firstDelay = 500 * time.Millisecond
	maxDelay   = 30 * time.Second
	// maxRetryAfter is the longest wait that a server may ask for. If a server asks for more, the
	// request fails.
	maxRetryAfter = 2 * time.Minute
	// dialAttempts limits the attempts while nothing has answered yet, so that a user learns of a
	// mistyped address within seconds.
	dialAttempts = 3
	// costlyAttempts limits the attempts that cost minutes or paid tokens.
	costlyAttempts = 3
	// aliveAttempts limits the attempts if the server only sends keep-alives.
	aliveAttempts = 2
)

// RetryPolicy controls the waits of Retry. The zero value waits in real time.
type RetryPolicy struct {
	// Sleep waits between attempts, or until ctx ends, and then returns ctx's error. Nil means Sleep of
	// this package.
	Sleep func(ctx context.Context, d time.Duration) error
	// Jitter returns a number in [0, 1). Nil means a random number.
	Jitter func() float64
}

// Retry wraps p so that a failed request is sent again if that can help: after Unavailable, RateLimit
// and Truncated, unless the *Error is Final. The Patience of the request limits the attempts. Between
// attempts, Retry waits as long as the provider asks (Error.RetryAfter), or otherwise longer each time.
// A Retrying chunk announces every further attempt. The last error has Attempts set. After ctx has
// ended, nothing more is sent.
func Retry(p Provider, policy RetryPolicy) Provider {
	if policy.Sleep == nil {
		policy.Sleep = Sleep
	}
	if policy.Jitter == nil {
		policy.Jitter = rand.Float64
	}
	return &retrying{provider: p, policy: policy}
}

type retrying struct {
	provider Provider
	policy   RetryPolicy
	// reached is set once the provider has answered, so that its address is correct.
	reached atomic.Bool
}

// Stream implements Provider.
func (r *retrying) Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		var previous attempt
		costly := 0
		for number := 1; ; number++ {
			latest := attempt{yield: yield}
			failure := latest.run(ctx, r.provider, req)
			if failure == nil {
				r.reached.Store(true)
				return
			}
			// A reply that was twice interrupted after the same bytes would be interrupted again.
			failure.Final = failure.Final || failure.Kind != RateLimit && latest.begun && latest.digest == previous.digest
			if failure.Costly {
				costly++
			}
			failure.Attempts = number
			previous = latest
			r.reached.Store(r.reached.Load() || !failure.Unreachable)
			delay, again := r.delay(failure, r.attempts(failure, req.patience()))
			if !again || failure.Costly && costly >= mostCostly(failure) {
				yield(nil, failure)
				return
			}
			if !yield(RetryNotice{Attempt: number + 1, Delay: delay, Where: failure.Where, Reason: failure.Message, Discard: latest.begun}, nil) {
				return
			}
			if r.policy.Sleep(ctx, delay) != nil || ctx.Err() != nil {
				yield(nil, ctx.Err())
				return
			}
		}
	}
}

// mostCostly returns the number of costly attempts after which a failure of this kind is final.
func mostCostly(failure *Error) int {
	if stalled := (*stallError)(nil); errors.As(failure, &stalled) && stalled.alive {
		return aliveAttempts
	}
	return costlyAttempts
}

// attempt is one request and its reply.
type attempt struct {
	yield func(Chunk, error) bool
	// begun is set when a part of the reply was yielded.
	begun bool
	// digest is a hash of the chunks of the reply.
	digest [sha256.Size]byte
}

// run yields one reply. It returns the failure if another attempt may help. It returns nil if the reply
// is complete, the consumer has stopped or the error was yielded.
func (a *attempt) run(ctx context.Context, p Provider, req Request) *Error {
	hash := sha256.New()
	defer func() { hash.Sum(a.digest[:0]) }()
	for chunk, err := range p.Stream(ctx, req) {
		var failure *Error
		if ctx.Err() == nil && errors.As(err, &failure) {
			return failure
		}
		if err == nil && isReply(chunk) {
			a.begun = true
			_, _ = fmt.Fprintf(hash, "%T%v", chunk, chunk)
		}
		if !a.yield(chunk, err) || err != nil {
			return nil
		}
	}
	return nil
}

// isReply reports whether a chunk is a part of the reply itself.
func isReply(chunk Chunk) bool {
	switch chunk.(type) {
	case Heartbeat, AdaptedRequest:
		return false
	}
	return true
}

// attempts returns the number of attempts to make for a failure of this kind.
func (r *retrying) attempts(failure *Error, patience Patience) int {
	most := patience.Retries + 1
	if failure.Unreachable && !r.reached.Load() {
		return min(most, dialAttempts)
	}
	return most
}

// delay returns the time to wait after a failure, and whether to try again.
func (r *retrying) delay(failure *Error, most int) (time.Duration, bool) {
	retried := failure.Kind == Unavailable || failure.Kind == RateLimit || failure.Kind == Truncated
	if !retried || failure.Final || failure.Attempts >= most {
		return 0, false
	}
	if asked := failure.RetryAfter; asked > 0 {
		if asked > maxRetryAfter {
			failure.Hint = fmt.Sprintf("the server asks you to wait %s; %s", asked.Round(time.Second), HintLater)
			return 0, false
		}
		return asked, true
	}
	floor := min(firstDelay<<min(failure.Attempts-1, 16), maxDelay)
	return floor + time.Duration(r.policy.Jitter()*float64(floor)), true
}

// Sleep waits for d, or until ctx ends, and then returns ctx's error.
func Sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Patience limits the waits of WatchStalls for a provider and the attempts of Retry.
type Patience struct {
	// First limits the wait for the first part of a reply. While only keep-alives arrive, the wait
	// for each part may last twice as long.
	First time.Duration
	// Idle limits the silence of a reply that has begun. A keep-alive resets the time.
	Idle time.Duration
	// Retries limits the further attempts after a failed one.
	Retries int
}

// DefaultPatience returns the Patience of requests that have none.
func DefaultPatience() Patience {
	return Patience{First: 5 * time.Minute, Idle: 2 * time.Minute, Retries: 8}
}

func (r Request) patience() Patience {
	if r.Patience == nil {
		return DefaultPatience()
	}
	return *r.Patience
}

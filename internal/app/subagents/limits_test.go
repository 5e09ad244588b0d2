package subagents

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"agent/internal/chat"
)

// Each limit is tested a hundred times. A subagent gets one message to finish, and the request
// after the limit is its last.
func TestBounds(t *testing.T) {
	t.Parallel()
	const tries = 100
	for name, c := range map[string]struct {
		bounds func(*rand.Rand) Limits
		status string
	}{
		"requests": {func(r *rand.Rand) Limits { return Limits{Requests: 1 + r.IntN(60)} }, "stopped at "},
		"tokens":   {func(r *rand.Rand) Limits { return Limits{Tokens: 1 + r.IntN(400_000)} }, "stopped at "},
		"cost":     {func(r *rand.Rand) Limits { return Limits{Cost: 0.01 + r.Float64()} }, "stopped at $"},
		"time":     {func(r *rand.Rand) Limits { return Limits{Time: time.Duration(1+r.IntN(900)) * time.Second} }, "timed out after "},
	} {
		for seed := range uint64(tries) {
			r := rand.New(rand.NewPCG(seed, 1))
			now := time.Unix(0, 0)
			bounds := c.bounds(r)
			if bounds.Requests == 0 {
				bounds.Requests = 1 << 30
			}
			if bounds.Tokens == 0 {
				bounds.Tokens = 1 << 30
			}
			if bounds.Time == 0 {
				bounds.Time = 24 * time.Hour
			}
			p := &pacer{Limits: bounds, clock: &clock{now: func() time.Time { return now }, started: now}}
			over := func(s chat.Stats) bool {
				return s.Requests+1 >= bounds.Requests || fresh(s) >= bounds.Tokens || bounds.Cost > 0 && s.Cost >= bounds.Cost || p.clock.worked() >= bounds.Time
			}
			s, told := chat.Stats{}, 0
			for {
				was := over(s)
				pace := p.pace(s)
				if pace.Last != was {
					t.Fatalf("%s, seed %d: last %v with %+v of %+v", name, seed, pace.Last, s, bounds)
				}
				if pace.Last {
					break
				}
				if pace.Say != "" {
					told++
				}
				s.Requests++
				s.PromptTokens += 1000 + r.IntN(9000)
				s.CachedTokens += r.IntN(1000)
				s.CompletionTokens += r.IntN(500)
				s.Cost += r.Float64() / 50
				now = now.Add(time.Duration(r.IntN(20)) * time.Second)
				waits := r.IntN(4)
				for range waits { // prompts, some of them at the same time
					p.clock.waiting(true)
				}
				now = now.Add(time.Hour * time.Duration(waits))
				for range waits {
					p.clock.waiting(false)
				}
			}
			if told > 1 || !strings.HasPrefix(p.reached, c.status) {
				t.Fatalf("%s, seed %d: told %d times, %q", name, seed, told, p.reached)
			}
		}
	}
}

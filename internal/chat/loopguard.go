package chat

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"time"

	"agent/internal/pattern"
	"agent/internal/words"
)

// What counts as going in circles (D-70).
const (
	// guardWindow is how many of the latest calls are looked at for one that comes again,
	// and longWindow for a rotation of several.
	guardWindow = 20
	longWindow  = maxRotation * maxRepeats
	// maxRepeats is how often one of them may come again.
	maxRepeats = 5
	// maxCircle is how many different calls may take turns and still be a circle.
	maxCircle = 4
	// maxCycle is the length of the longest cycle that is one whatever its calls
	// answer, as long as it edits.
	maxCycle = 3
	// maxRotation is how many different calls may come again and again, each with the same
	// answer, and still be a circle; rotates is how often each has come then.
	maxRotation = 12
	rotates     = 3
	// patientCall is how long a call takes that waits for something: one that succeeds
	// after that long is no sign of anything.
	patientCall = 5 * time.Second
)

// loopGuard notices a model that goes in circles: it burns tokens and learns
// nothing. The zero value has seen no calls.
type loopGuard struct{ recent []pastCall }

// pastCall is what is remembered of a call.
type pastCall struct {
	title string
	// asked stands for the call, outcome for the call and what came of it.
	asked, outcome uint64
	failed, edits  bool
	waited         bool
}

// durations tell two runs of a failing test apart that failed in the same way.
var durations = pattern.New(`\b\d+(\.\d+)?(ns|µs|ms|s|m)\b`)

// note takes an answered call into account. It returns what repeats, empty while
// nothing does.
func (g *loopGuard) note(k *call, took time.Duration) string {
	g.recent = append(g.recent, newPastCall(k, took))
	if len(g.recent) > longWindow {
		g.recent = g.recent[1:]
	}
	return cmp.Or(g.circle(), g.cycle(), g.rotation())
}

// reset begins anew: a person has been asked, or has said something.
func (g *loopGuard) reset() { g.recent = nil }

func newPastCall(k *call, took time.Duration) pastCall {
	failed := k.answer.Error != "" || k.answer.ExitCode != nil && *k.answer.ExitCode != 0
	said := k.answer.Error + "\x00" + k.answer.ForModel()
	if failed {
		said = durations.ReplaceAllString(said, "")
	}
	asked := k.name + "\x00" + string(k.parameters)
	return pastCall{
		title: k.said.Title(),
		asked: sum(asked), outcome: sum(asked + "\x00" + said),
		failed: failed, edits: k.tool.Edits,
		waited: !failed && took >= patientCall,
	}
}

// circle looks for the latest call among those before it: with the same outcome,
// maxRepeats times. A failure that comes again needs nothing more; a success is a
// sign only if nothing new was done in between.
func (g *loopGuard) circle() string {
	last := g.recent[len(g.recent)-1]
	if last.waited {
		return ""
	}
	count, different := 0, map[uint64]bool{}
	for i := len(g.recent) - 1; i >= max(0, len(g.recent)-guardWindow); i-- {
		past := g.recent[i]
		different[past.outcome] = true
		if past.outcome == last.outcome {
			count++
		}
		switch {
		case count < maxRepeats:
		case last.failed:
			return fmt.Sprintf("the same call failed in the same way %d times within %s: %s", count, words.Count(len(g.recent)-i, "call"), last.title)
		case len(different) <= maxCircle:
			return fmt.Sprintf("the same call got the same answer %d times, with nothing new in between: %s", count, last.title)
		default:
			return ""
		}
	}
	return ""
}

// rotation looks for calls that take turns, in any order, and learn nothing: since the
// latest one came maxRepeats times, no call was new and none waited.
func (g *loopGuard) rotation() string {
	last := g.recent[len(g.recent)-1]
	seen := map[uint64]int{}
	for i := len(g.recent) - 1; i >= 0 && len(seen) <= maxRotation && !g.recent[i].waited; i-- {
		seen[g.recent[i].outcome]++
		if seen[last.outcome] < maxRepeats {
			continue
		}
		for _, n := range seen {
			if n < rotates {
				return ""
			}
		}
		if len(seen) > maxRotation {
			return ""
		}
		return fmt.Sprintf("the same %s came again and again with the same answers, the last of them %s", words.Count(len(seen), "call"), last.title)
	}
	return ""
}

// cycle looks for two or three calls, an edit among them, that come again and again
// in the same order.
func (g *loopGuard) cycle() string {
	for length := 2; length <= maxCycle; length++ {
		from := len(g.recent) - length*maxRepeats
		if from < 0 {
			return ""
		}
		cycles, edits := true, false
		for i := from; i < len(g.recent); i++ {
			edits = edits || g.recent[i].edits
			cycles = cycles && (i < from+length || g.recent[i].asked == g.recent[i-length].asked)
		}
		if cycles && edits {
			return fmt.Sprintf("the same %d calls came %d times in the same order, the last of them %s", length, maxRepeats, g.recent[len(g.recent)-1].title)
		}
	}
	return ""
}

func sum(text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(text))
	return h.Sum64()
}

// goOn asks a person whether a turn that goes in circles shall go on; what they say
// instead is queued. With nobody there the turn fails. Nothing that repeated before is
// held against the model twice.
func (r *runner) goOn(ctx context.Context, repeated string) (stop Stop, goOn bool, err error) {
	r.guard.reset()
	if r.Unattended {
		return "", false, fmt.Errorf("stopped, because the model goes in circles: %s", repeated)
	}
	decision, answered := r.approvals.put(ctx, Approval{Repeats: repeated}, func() bool { return false })
	switch {
	case !answered:
		return "", false, ctx.Err()
	case !decision.Allow && decision.Reason == "":
		return StopRepeating, false, nil
	case !decision.Allow:
		r.instruct(decision.Reason)
	}
	return "", decision.Allow, nil
}

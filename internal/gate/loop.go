package gate

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"strings"
	"sync"
	"time"

	"agent/internal/base/humanize"
	"agent/internal/base/lazyregexp"
	"agent/internal/tools"
)

// The limits of the repetitions that LoopDetector accepts (D-70).
const (
	// guardWindow is the number of latest calls in which a repeated call is searched for.
	// longWindow is the number for a rotation of several calls.
	guardWindow = 20
	longWindow  = maxRotation * maxRepeats
	// maxRepeats is the number of repetitions of one call that count as a loop.
	maxRepeats = 5
	// maxCircle is the largest number of different alternating calls that count as a loop.
	maxCircle = 4
	// maxCycle is the length of the longest cycle of calls that counts as a loop even if the
	// answers differ. The cycle must contain an edit.
	maxCycle = 3
	// maxRotation is the largest number of different calls that count as a loop if each has the
	// same answer every time. Each of them must have occurred at least rotates times.
	maxRotation = 12
	rotates     = 3
	// patientCall is the least duration of a successful call that counts as waiting. Such a call
	// does not count as part of a loop.
	patientCall = 5 * time.Second
)

// A LoopDetector detects a model that repeats its calls, which uses tokens without progress. It examines
// answered calls, and asks a user at the next call. A Loop is safe for parallel use.
type LoopDetector struct {
	policy *Policy

	mu sync.Mutex
	// repeats names the repeated calls, empty while there are none.
	repeats string
	recent  []pastCall
}

// NewLoopDetector returns the LoopDetector of a conversation.
func NewLoopDetector(policy *Policy) *LoopDetector { return &LoopDetector{policy: policy} }

// Gate returns the gate of the LoopDetector.
func (g *LoopDetector) Gate() Gate {
	return Gate{Name: "loop guard", Stage: StageGuard, Check: g.check, Remark: g.remark, Ended: g.ended}
}

// Reset deletes the recorded calls, because a user has answered or has written something.
func (g *LoopDetector) Reset() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.recent, g.repeats = nil, ""
}

// check asks whether a turn with repeated calls should continue. If no user can be asked, the turn
// fails. Earlier repetitions are not counted again.
func (g *LoopDetector) check(context.Context, Call) Verdict {
	g.mu.Lock()
	repeats := g.repeats
	g.mu.Unlock()
	if repeats == "" {
		return Verdict{}
	}
	g.Reset()
	if g.policy.Unattended {
		return Verdict{Refusal: NotRun, End: fmt.Errorf("stopped: the model repeats itself: %s", repeats)}
	}
	return Verdict{Ask: &Question{
		Approval: Approval{Repeats: repeats},
		Then: func(d Decision) Verdict {
			switch {
			case d.Allow:
				return Verdict{}
			case d.Reason == "":
				return Verdict{Refusal: NotRun, End: ErrRepeating}
			}
			return Verdict{Refusal: NotRun, Instruction: d.Reason}
		},
	}}
}

// habit is the text for the model after the third equal failure of one call.
const habit = "This same call has now failed three times in the same way, and will fail again. Do not make it once more: say which assumption behind it is wrong, look at what is really there, then do something else."

// maxHabit is the number of equal failures of one call after which the model gets the text habit.
const maxHabit = 3

// remark returns habit if a call has failed in the same way maxHabit times.
func (g *LoopDetector) remark(call Call, answer tools.Answer) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	now, count := newPastCall(call, answer, 0), 1
	if !now.failed {
		return ""
	}
	for _, past := range g.recent[max(0, len(g.recent)-guardWindow):] {
		if past.outcome == now.outcome {
			count++
		}
	}
	if count != maxHabit {
		return ""
	}
	return habit
}

// ended records an answered call, and checks whether the model repeats its calls.
func (g *LoopDetector) ended(call Call, answer tools.Answer, took time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.recent = append(g.recent, newPastCall(call, answer, took))
	if len(g.recent) > longWindow {
		g.recent = g.recent[1:]
	}
	if again := cmp.Or(g.circle(), g.cycle(), g.rotation()); g.repeats == "" {
		g.repeats = again
	}
}

// A pastCall is the recorded part of a call.
type pastCall struct {
	title string
	// asked is a hash of the call. outcome is a hash of the call and its answer.
	asked, outcome uint64
	failed, edits  bool
	waited         bool
}

// durations matches the times in the output of a failing test, which differ between two runs with
// the same failure.
var durations = lazyregexp.New(`\b\d+(\.\d+)?(ns|µs|ms|s|m)\b`)

// asides matches the parts of a command line that a comparison ignores: white space and comments,
// in their JSON form.
var asides = lazyregexp.New(`\s+(?:#(?:[^"\\]|\\[^n])*)?`)

func newPastCall(call Call, answer tools.Answer, took time.Duration) pastCall {
	failed := answer.Error != "" || answer.ExitCode != nil && *answer.ExitCode != 0
	said := answer.Error + "\x00" + answer.ModelText()
	if answer.ExitCode != nil {
		said = answer.Error + "\x00" + answer.Text // the note contains the duration, so it is not compared
	}
	if failed {
		said = durations.ReplaceAllString(said, "")
	}
	asked := call.Name + "\x00" + call.Arguments.String()
	if call.Traits.Runs {
		asked = strings.ReplaceAll(asides.ReplaceAllString(asked, " "), ` "`, `"`)
	}
	return pastCall{
		title: call.Said.Title(),
		asked: sum(asked), outcome: sum(asked + "\x00" + said),
		failed: failed, edits: call.Traits.Edits,
		waited: !failed && took >= patientCall,
	}
}

// circle returns a description of the latest call if it occurred maxRepeats times with the same
// outcome. Failures always count. Successes count only if nothing new was done in between.
func (g *LoopDetector) circle() string {
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
			return fmt.Sprintf("the same call failed in the same way %d times within %s: %s", count, humanize.Count(len(g.recent)-i, "call"), last.title)
		case len(different) <= maxCircle:
			return fmt.Sprintf("the same call got the same answer %d times, with nothing new in between: %s", count, last.title)
		default:
			return ""
		}
	}
	return ""
}

// rotation returns a description of calls that repeat in any order with the same answers. It
// examines the latest calls, back to the maxRepeats-th occurrence of the latest one. Each of them
// must have occurred at least rotates times, and none may have waited.
func (g *LoopDetector) rotation() string {
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
		return fmt.Sprintf("the same %s ran again and again with the same results; the last call was %s", humanize.Count(len(seen), "call"), last.title)
	}
	return ""
}

// cycle returns a description of two or three calls, including an edit, that repeat in the same
// order.
func (g *LoopDetector) cycle() string {
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
			return fmt.Sprintf("the same %d calls ran %d times in the same order; the last call was %s", length, maxRepeats, g.recent[len(g.recent)-1].title)
		}
	}
	return ""
}

func sum(text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(text))
	return h.Sum64()
}

package gate

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"strings"
	"sync"
	"time"

	"agent/internal/pattern"
	"agent/internal/tools"
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

// Loop notices a model that runs in circles: it burns tokens and learns nothing. Calls
// that were answered say whether it does; the call that comes next is the one that a
// person is asked about. It is safe for parallel use.
type Loop struct {
	policy *Policy

	mu sync.Mutex
	// repeats says what repeats, empty while nothing does.
	repeats string
	recent  []pastCall
}

// NewLoop returns the guard of a conversation; it has seen no calls.
func NewLoop(policy *Policy) *Loop { return &Loop{policy: policy} }

// Gate is the guard as a gate.
func (g *Loop) Gate() Gate {
	return Gate{Name: "loop guard", Stage: Guards, Check: g.check, Remark: g.remark, Ended: g.ended}
}

// Reset begins anew: a person has been asked, or has said something.
func (g *Loop) Reset() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.recent, g.repeats = nil, ""
}

// check asks whether a turn that runs in circles shall go on; with nobody there the turn
// fails. Nothing that repeated before is held against the model twice.
func (g *Loop) check(context.Context, Call) Verdict {
	g.mu.Lock()
	repeats := g.repeats
	g.mu.Unlock()
	if repeats == "" {
		return Verdict{}
	}
	g.Reset()
	if g.policy.Unattended {
		return Verdict{Refusal: NotRun, End: fmt.Errorf("stopped, because the model goes in circles: %s", repeats)}
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
			return Verdict{Refusal: NotRun, Instead: d.Reason}
		},
	}}
}

// habit is what the model reads with the third failure of one call.
const habit = "This same call has now failed three times in the same way, and will fail again. Do not make it once more: say which assumption behind it is wrong, look at what is really there, then do something else."

// maxHabit is how often one call may fail in one way before the model reads that.
const maxHabit = 3

// remark breaks the habit of a model that makes one call again and again.
func (g *Loop) remark(call Call, answer tools.Answer) string {
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

// ended takes an answered call into account.
func (g *Loop) ended(call Call, answer tools.Answer, took time.Duration) {
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

// pastCall is what is remembered of a call.
type pastCall struct {
	title string
	// asked represents the call, outcome for the call and what came of it.
	asked, outcome uint64
	failed, edits  bool
	waited         bool
}

// durations distinguish two runs of a failing test that failed in the same way.
var durations = pattern.New(`\b\d+(\.\d+)?(ns|µs|ms|s|m)\b`)

// asides are what may differ between two lines of a shell that are the same command: blanks,
// and comments in their JSON.
var asides = pattern.New(`\s+(?:#(?:[^"\\]|\\[^n])*)?`)

func newPastCall(call Call, answer tools.Answer, took time.Duration) pastCall {
	failed := answer.Error != "" || answer.ExitCode != nil && *answer.ExitCode != 0
	said := answer.Error + "\x00" + answer.ForModel()
	if answer.ExitCode != nil {
		said = answer.Error + "\x00" + answer.Text // the note is how long it took
	}
	if failed {
		said = durations.ReplaceAllString(said, "")
	}
	asked := call.Name + "\x00" + string(call.Arguments)
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

// circle looks for the latest call among those before it: with the same outcome,
// maxRepeats times. A failure that comes again needs nothing more; a success is a
// sign only if nothing new was done in between.
func (g *Loop) circle() string {
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
func (g *Loop) rotation() string {
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
		return fmt.Sprintf("the same %s came again and again with the same answers, the last of them %s", words.Count(len(seen), "call"), last.title)
	}
	return ""
}

// cycle looks for two or three calls, an edit among them, that come again and again
// in the same order.
func (g *Loop) cycle() string {
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

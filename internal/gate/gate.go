// Package gate is what is between a planned call and its effect:
//
//	plan → gate₁ → gate₂ → … → apply
//
// A gate sees the planned call and lets it pass, refuses it with words for the model,
// asks a person, or replaces its arguments; then the call is planned anew and begins at
// the first gate. Gates know neither the turn loop nor the screen: they return a
// verdict, and the loop carries it out.
package gate

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"agent/internal/tools"
	"agent/internal/traits"
)

// Call is a planned call that has not run.
type Call struct {
	// Number counts the calls of a session, ID is the model's for it.
	Number int
	ID     string
	Name   string
	Traits traits.Traits
	// Said is the call in words.
	Said      traits.Said
	Arguments json.RawMessage
	// Preview is what the call would do.
	Preview tools.Preview
	// Spared is set when a gate spares the question whether it may run.
	Spared bool
}

// Stage is where in the order of all gates one is.
type Stage int

// The stages, in the order in which a call passes them.
const (
	// Denies: rules that refuse a call whatever else is said of it.
	Denies Stage = iota
	// Guards: what looks at the turn as a whole.
	Guards
	// Hooks: programs of the person.
	Hooks
	// Consents: what needs a person's consent, last, so that what they see is what runs.
	Consents
)

// Gate is one thing that a call must pass.
type Gate struct {
	// Name says in errors which gate it is.
	Name  string
	Stage Stage
	// Check says what becomes of a call. It runs on a goroutine of its own, for one call
	// at a time; it may take long, and returns soon after ctx ends. A verdict that comes
	// later counts for nothing.
	Check func(ctx context.Context, call Call) Verdict
	// Asked, which may be nil, says what becomes of a call that a person would be asked
	// about; where its verdict leaves that open they are. It runs as Check does.
	Asked func(ctx context.Context, call Call) Verdict
	// After, which may be nil, gets what came of a call that ran, and returns what takes
	// its place; an error ends the turn. It runs on a goroutine of its own, for several calls
	// at a time; it may take long, and returns soon after ctx ends.
	After func(ctx context.Context, call Call, answer tools.Answer, took time.Duration) (tools.Answer, error)
	// Remark, which may be nil, returns what the model reads beside the answer to a
	// call, "" for nothing. It returns at once.
	Remark func(call Call, answer tools.Answer) string
	// Ended, which may be nil, gets each call that was answered, refused ones too, in
	// the order of the answers. It returns at once.
	Ended func(call Call, answer tools.Answer, took time.Duration)
}

// Verdict is what becomes of a call. The zero value lets it pass.
type Verdict struct {
	// Refusal is why the call does not run, for the model to read.
	Refusal string
	// End ends the turn with the refusal: ErrDenied, ErrRepeating, or why the turn fails.
	End error
	// Instead is what the model is to do instead of this call and those behind it, in
	// the person's words.
	Instead string
	// Notice is a line for the person.
	Notice string
	// Arguments replace those of the call, which is planned anew and begins at the first
	// gate. Nil changes nothing.
	Arguments json.RawMessage
	// Answers are the person's to what the call asks them. Nil changes nothing.
	Answers []tools.Given
	// Spares says that a person need not be asked whether the call may run. It spares
	// nothing else: neither what the mode refuses nor a protected file, nor leaving the
	// sandbox, nor a question of the call itself.
	Spares bool
	// Ask is a question on which the verdict depends; nil for none.
	Ask *Question
}

// Question is what a gate asks a person.
type Question struct {
	// Approval is what is shown.
	Approval Approval
	// Moot, which may be nil, reports whether the call is allowed by now without an
	// answer, because settings have changed. The loop calls it while the question is open.
	Moot func() bool
	// Then is the verdict that an answer makes.
	Then func(Decision) Verdict
	// Aside is set when the question is about something else than the call, which passes
	// whatever the answer is.
	Aside bool
}

// OfCall reports whether the question is about the call that waits.
func (q *Question) OfCall() bool { return !q.Aside && q.Approval.Repeats == "" }

// NotRun is the answer to a call that was not run for no fault of its own.
const NotRun = "not run: the turn ended before this call"

// StoppedError ends a turn because a program of the person says so.
type StoppedError struct {
	// By is what says it, and Why the reason.
	By, Why string
}

func (e *StoppedError) Error() string { return "stopped by " + e.By + ": " + e.Why }

// Ends of a turn that are no failure.
var (
	// ErrDenied: a call was not allowed.
	ErrDenied = errors.New("a call was not allowed")
	// ErrRepeating: the model runs in circles and a person stopped it.
	ErrRepeating = errors.New("the model goes in circles")
)

// Order returns gates in the order of their stages; within a stage the order given stays.
func Order(gates ...Gate) []Gate {
	return slices.SortedStableFunc(slices.Values(gates), func(a, b Gate) int { return cmp.Compare(a.Stage, b.Stage) })
}

// Ask is Check for a gate that may panic: a defect of a gate refuses the call.
func (g Gate) Ask(ctx context.Context, call Call) (v Verdict) {
	defer func() {
		if p := recover(); p != nil {
			v = Verdict{Refusal: fmt.Sprintf("not run: internal error in the gate %s: %v", g.Name, p)}
		}
	}()
	return g.Check(ctx, call)
}

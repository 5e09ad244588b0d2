// Package gate stands between a planned call and its effect:
//
//	plan → gate₁ → gate₂ → … → apply
//
// A [Gate] sees the planned [Call] and returns a [Verdict]: the call passes, or is refused with
// words for the model, or a user is asked, or its arguments are replaced. After a replacement,
// the call is planned again and begins at the first gate. Gates know neither the turn loop nor the
// screen; the loop carries out their verdicts.
//
// A conversation owns one [Consent], which decides by mode, rules and grants whether a user is
// asked, and one [Loop], which notices a model that runs in circles. A [PermissionStore] holds the
// permissions that a user has given permanently.
package gate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"agent/internal/base/arguments"
	"agent/internal/tools"
	"agent/internal/toolspec"
)

// A Call is a planned call that has not run.
type Call struct {
	// Number counts the calls of a session. ID is the model's identifier of the call.
	Number int
	ID     string
	// AgentID and Agent name the agent that makes the call; they are "" for the conversation of the
	// person.
	AgentID, Agent string
	Name           string
	Traits         toolspec.Traits
	// Said describes the call in words.
	Said      toolspec.Label
	Arguments arguments.Arguments
	// Preview shows the effect of the call.
	Preview tools.Preview
	// Spared is set if a gate has decided that no user need be asked whether the call may run.
	Spared bool
}

// Stage is the place of a gate in the order of all gates.
type Stage int

// The stages, in the order of a call's way through them.
const (
	// Denies: rules that refuse a call whatever other gates say.
	Denies Stage = iota
	// Guards: gates that look at the turn as a whole.
	Guards
	// Hooks: gates that run the user's programs.
	Hooks
	// Consents: gates that ask the user. They come last, so that the user sees the call that
	// runs.
	Consents
)

// A Gate is a check that each call must pass.
type Gate struct {
	// Name identifies the gate in errors.
	Name  string
	Stage Stage
	// Check returns the verdict on a call. It runs on a goroutine of its own, for one call at a
	// time; it may take long, and returns soon after ctx ends. A verdict that comes later is
	// ignored.
	Check func(ctx context.Context, call Call) Verdict
	// Asked, which may be nil, returns the verdict on a call that a user would be asked about.
	// If the verdict leaves the question open, the user is asked. Asked runs as Check does.
	Asked func(ctx context.Context, call Call) Verdict
	// After, which may be nil, receives the answer of a call that ran, and returns the answer to
	// use instead; an error ends the turn. It runs on a goroutine of its own, for several calls
	// at a time; it may take long, and returns soon after ctx ends.
	After func(ctx context.Context, call Call, answer tools.Answer, took time.Duration) (tools.Answer, error)
	// Remark, which may be nil, returns a text for the model beside the answer to a call, "" for
	// none. It returns at once.
	Remark func(call Call, answer tools.Answer) string
	// Ended, which may be nil, receives each answered call, refused ones too, in the order of the
	// answers. It returns at once.
	Ended func(call Call, answer tools.Answer, took time.Duration)
}

// A Verdict decides about a call. The zero value lets the call pass.
type Verdict struct {
	// Refusal is the reason not to run the call, for the model to read.
	Refusal string
	// End ends the turn with the refusal: ErrDenied, ErrRepeating, or the reason for the failure
	// of the turn.
	End error
	// Instead is the user's instruction to the model, in place of this call and the calls
	// behind it.
	Instead string
	// Notice is a line for the user.
	Notice string
	// Arguments replaces the arguments of the call, which is planned again and begins at the first
	// gate. The zero value changes nothing.
	Arguments arguments.Arguments
	// Answers holds the user's answers to the questions of the call. Nil changes nothing.
	Answers []tools.InquiryAnswer
	// Spares means that no user need be asked whether the call may run. All else stays: the
	// calls that the mode refuses, the questions about protected files and about leaving the
	// sandbox, and the questions of the call itself.
	Spares bool
	// By is what lets the call run without a question, if a gate has decided that it may.
	By Basis
	// Ask holds a question on which the verdict depends; nil for none.
	Ask *Question
}

// A Question is a gate's question to a user.
type Question struct {
	// Approval describes the question for the screen.
	Approval Approval
	// Obsolete, which may be nil, reports whether the call is allowed by now without an answer,
	// because settings have changed. The loop calls it while the question is open.
	Obsolete func() bool
	// Then returns the verdict for a decision.
	Then func(Decision) Verdict
	// Aside is set if the prompt is not about the call itself. The call passes with either answer.
	Aside bool
}

// OfCall reports whether the question is about the call that waits.
func (q *Question) OfCall() bool { return !q.Aside && q.Approval.Repeats == "" }

// NotRun is the answer to a call that was not run because the turn ended.
const NotRun = "not run: the turn ended before this call"

// A StoppedError ends a turn on the demand of one of the user's programs.
type StoppedError struct {
	// By names the program, and Why is the reason.
	By, Why string
}

func (e *StoppedError) Error() string { return "stopped by " + e.By + ": " + e.Why }

// Errors that end a turn without a failure.
var (
	// ErrDenied means that a call was not allowed.
	ErrDenied = errors.New("a call was not allowed")
	// ErrRepeating means that a user stopped a model that runs in circles.
	ErrRepeating = errors.New("the model repeats itself")
)

// Order returns gates in the order of their stages. Gates of the same stage keep their order.
func Order(gates ...Gate) []Gate {
	return slices.SortedStableFunc(slices.Values(gates), func(a, b Gate) int { return cmp.Compare(a.Stage, b.Stage) })
}

// Ask calls Check and refuses the call if the gate panics.
func (g Gate) Ask(ctx context.Context, call Call) (v Verdict) {
	defer func() {
		if p := recover(); p != nil {
			v = Verdict{Refusal: fmt.Sprintf("not run: internal error in the gate %s: %v", g.Name, p)}
		}
	}()
	return g.Check(ctx, call)
}

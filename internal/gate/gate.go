// Package gate decides whether a planned call may run:
//
//	plan → gate₁ → gate₂ → … → apply
//
// A [Gate] sees the planned [Call] and returns a [Verdict]: the call passes, is refused with a
// reason, requires approval, or gets other arguments. After a replacement, the call is planned
// again and begins at the first gate. Gates depend on neither the turn loop nor the screen. The
// loop executes their verdicts.
//
// A conversation owns one [Consent], which decides by mode, rules and grants whether a call
// requires approval. It also owns one [LoopDetector], which detects a model that repeats its calls. A
// [PermissionStore] holds the permissions that a user has given permanently.
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

// A Call is a planned call that has not been executed.
type Call struct {
	// Number counts the calls of a session. ID is the model's identifier of the call.
	Number int
	ID     string
	// AgentID and Agent name the subagent that makes the call. They are "" for the conversation of
	// the user.
	AgentID, Agent string
	Name           string
	Traits         toolspec.Traits
	// Said is the description of the call for the user.
	Said      toolspec.Label
	Arguments arguments.Arguments
	// Preview shows the effect of the call.
	Preview tools.Preview
	// Spared is set if a gate has decided that the call needs no approval.
	Spared bool
}

// Stage is the position of a gate in the order of all gates.
type Stage int

// The stages, in the order in which a call passes them.
const (
	// StageDeny: gates that refuse a call whatever the verdicts of other gates are.
	StageDeny Stage = iota
	// StageGuard: gates that check the turn as a whole.
	StageGuard
	// StageHook: gates that run the user's programs.
	StageHook
	// StageConsent: gates that request approval. They are last, so that the user sees the final call.
	StageConsent
)

// A Gate is a check that each call must pass.
type Gate struct {
	// Name identifies the gate in errors.
	Name  string
	Stage Stage
	// Check returns the verdict on a call. It runs on a separate goroutine, for one call at a time.
	// It may take long, and returns soon after ctx ends. A later verdict is ignored.
	Check func(ctx context.Context, call Call) Verdict
	// Asked, which may be nil, returns the verdict on a call that requires approval. A zero verdict
	// keeps that requirement. Asked is run like Check.
	Asked func(ctx context.Context, call Call) Verdict
	// After, which may be nil, receives the answer of a completed call, and returns the answer to
	// use instead. An error ends the turn. After runs on a separate goroutine, for several calls at
	// a time. It may take long, and returns soon after ctx ends.
	After func(ctx context.Context, call Call, answer tools.Answer, took time.Duration) (tools.Answer, error)
	// Remark, which may be nil, returns a text for the model in addition to the answer to a call,
	// "" for none. It does not block.
	Remark func(call Call, answer tools.Answer) string
	// Ended, which may be nil, receives each answered call, including refused calls, in the order
	// of the answers. It does not block.
	Ended func(call Call, answer tools.Answer, took time.Duration)
}

// A Verdict is the decision of a gate on a call. The zero value lets the call pass.
type Verdict struct {
	// Refusal is the reason why the call is not run, for the model.
	Refusal string
	// End ends the turn with the refusal. It is ErrDenied, ErrRepeating, or the reason for the
	// failure of the turn.
	End error
	// Instruction is the user's instruction to the model. It replaces this call and the calls after it.
	Instruction string
	// Notice is a line for the user.
	Notice string
	// Arguments replaces the arguments of the call, which is planned again and begins at the first
	// gate. The zero value changes nothing.
	Arguments arguments.Arguments
	// Answers holds the user's answers to the questions of the call. Nil changes nothing.
	Answers []tools.InquiryAnswer
	// Spares means that the call needs no approval. It does not affect calls that the mode refuses,
	// approval for protected files or for leaving the sandbox, or questions of the call itself.
	Spares bool
	// By is what allows the call without approval, if a gate has decided so.
	By Basis
	// Ask holds a question on which the verdict depends; nil for none.
	Ask *Question
}

// A Question is a question of a gate to a user.
type Question struct {
	// Approval describes the question for the interface.
	Approval Approval
	// Obsolete, which may be nil, reports whether the call no longer needs an answer, because
	// settings have changed. The loop calls it while the question is open.
	Obsolete func() bool
	// Then returns the verdict for a decision.
	Then func(Decision) Verdict
	// Aside is set if the question is not whether the call may run. The call passes with either
	// answer.
	Aside bool
}

// IsForCall reports whether the question is whether the waiting call may run.
func (q *Question) IsForCall() bool { return !q.Aside && q.Approval.Repeats == "" }

// NotRun is the answer to a call that was not run because the turn ended.
const NotRun = "not run: the turn ended before this call"

// A StoppedError ends a turn because a program of the user requested it.
type StoppedError struct {
	// By names the program, and Why is the reason.
	By, Why string
}

func (e *StoppedError) Error() string { return "stopped by " + e.By + ": " + e.Why }

// Errors that end a turn without a failure.
var (
	// ErrDenied means that a call was not allowed.
	ErrDenied = errors.New("a call was not allowed")
	// ErrRepeating means that a user stopped a model that repeats its calls.
	ErrRepeating = errors.New("the model repeats itself")
)

// SortGates returns gates in the order of their stages. Gates of the same stage keep their order.
func SortGates(gates ...Gate) []Gate {
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

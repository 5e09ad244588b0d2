package chat

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"agent/internal/base/arguments"
	"agent/internal/gate"
	"agent/internal/history"
	"agent/internal/reachlog"
	"agent/internal/tools"
)

// call is one tool call, from the model's request to its answer.
type call struct {
	// Call is the view of the call for gates.
	gate.Call
	tool tools.Tool
	// unknown is set if no such tool exists.
	unknown bool
	// remarked is the model's reason for the call, from an extra argument. notes contain the correct
	// names of tools and parameters for the model.
	remarked string
	notes    []string
	// plan describes the effect of the call. It is made once, so that agent applies the plan that the
	// user approved.
	plan tools.Plan
	// refused is the reason why the call does not run: it is malformed, unknown or denied. It is "" if
	// the call may run.
	refused string
	// denied is the user's decision to refuse the call, or nil.
	denied *Decision
	// asked is the decision about the call for the session log, or nil if there was none.
	asked *history.Decision
	// unanswered is set if the user interrupted the turn instead of deciding.
	unanswered bool
	// replaced is set if a gate replaced the arguments.
	replaced bool
	// stops is the reason why the turn ends with the call, or nil if the turn continues.
	stops error
	// typed is set if the user typed the command.
	typed   bool
	started time.Time
	// took is the time for which a call ran. It excludes the time in which its answer waited for the
	// answers of other calls.
	took time.Duration
	// reached lists the hosts that the call connected to.
	reached *reachlog.HostList
	answer  tools.Answer
}

// answerInterrupted is the answer to a call that the user interrupted.
const answerInterrupted = "interrupted by the user before it finished; the effect, if any, is unknown"

// work plans the call. A panic in the tool is a defect of the program: work reports it to the model and
// the user, and the conversation continues.
func (k *call) work(ctx context.Context, env *tools.Env) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = internalError(k, p)
		}
	}()
	k.plan, err = k.tool.PlanCall(ctx, env, k.Arguments)
	k.Preview = k.plan.Preview
	k.Preview.Title = cmp.Or(k.Preview.Title, k.Said.Title())
	k.Preview.Remark = k.remarked
	return err
}

// apply applies the plan. A panic in the tool becomes an error, as in work.
func apply(ctx context.Context, k *call) (answer tools.Answer) {
	defer func() {
		if p := recover(); p != nil {
			answer = tools.Answer{Error: internalError(k, p).Error()}
		}
		if ctx.Err() != nil && answer.Error == "" && answer.ModelText() == "" {
			answer.Error = answerInterrupted
		}
	}()
	return k.plan.Apply(ctx)
}

func internalError(k *call, panicked any) error {
	return fmt.Errorf("internal error in %s: %v", k.Name, panicked)
}

// replace sets other arguments for the call, and mentions them in the answer to the model.
func (k *call) replace(other arguments.Arguments) {
	k.Arguments, k.replaced, k.Spared = other, true, false
	k.Said = k.tool.Describe(k.Name, other)
}

// remark appends a text to the answer that the model reads.
func (k *call) remark(text string) {
	switch {
	case text == "":
	case k.answer.Error != "":
		k.answer.Error += "\n" + text
	default:
		k.answer = k.answer.WithNote("[" + text + "]")
	}
}

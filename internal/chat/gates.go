package chat

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"agent/internal/gate"
	"agent/internal/history"
	"agent/internal/tools"
)

// maxReplaced limits how often gates may replace the arguments of one call.
const maxReplaced = 8

// ending describes how a call affects the turn. The zero value has no effect.
type ending struct {
	// rest is set if the turn ends and the later calls are not run.
	rest bool
	stop Stop
	err  error
	// answer becomes the answer of the turn when it ends; "" keeps the model's latest text.
	answer string
}

// admit passes a planned call through the gates, and marks it refused if it may not run. later contains
// the calls after it in the reply.
func (r *runner) admit(ctx context.Context, k *call, later []*call) ending {
	replaced := 0
	for i := 0; i < len(r.gates) && k.refused == ""; i++ {
		verdict := r.check(ctx, r.gates[i], k)
		if verdict.Ask != nil {
			verdict = r.beforeAsking(ctx, r.gates[i], k, verdict)
		}
		if verdict.Ask != nil {
			verdict = r.ask(ctx, k, *verdict.Ask, later)
		}
		k.Spared = k.Spared || verdict.Spares
		if k.refused = verdict.Refusal; k.refused != "" && k.asked == nil {
			k.asked = &history.Decision{By: r.gates[i].Name, Answer: "refused", Rule: k.refused}
		}
		if by := verdict.By; by.By != "" && k.refused == "" && k.asked == nil && (!k.Traits.IsHarmless() || len(k.Preview.Protected) > 0) {
			k.asked = &history.Decision{By: by.By, Answer: "allowed", Rule: by.Rule}
		}
		if answered, given := k.plan.Answered, verdict.Answers; answered != nil && given != nil {
			k.plan.Apply = func(context.Context) tools.Answer { return answered(given) }
		}
		if verdict.Notice != "" {
			r.emit.notice("%s", verdict.Notice)
		}
		if end := r.end(verdict); end.rest {
			if errors.Is(verdict.End, gate.ErrPlanIsAnswer) {
				end.answer = k.Preview.Plan
			}
			return end
		}
		if k.refused != "" && r.gates[i].Stage < gate.StageGuard {
			return r.guard(ctx, k, later) // the guards have not seen the call yet
		}
		if verdict.Arguments.Raw() == nil || k.refused != "" {
			continue
		}
		if !verdict.Arguments.IsObject() {
			k.refused = fmt.Sprintf("not run: the gate %s replaced the arguments of %s with invalid JSON", r.gates[i].Name, k.Name)
			continue
		}
		if replaced++; replaced > maxReplaced {
			k.refused = fmt.Sprintf("not run: gates replaced its arguments %d times; the last one was %s", replaced, r.gates[i].Name)
			continue
		}
		k.replace(verdict.Arguments)
		r.plan(ctx, k)
		i = -1
	}
	return ending{}
}

// beforeAsking calls the gates that decide before the user is asked. It returns the verdict to apply:
// asks, or the verdict of a gate that overrides it.
func (r *runner) beforeAsking(ctx context.Context, asking gate.Gate, k *call, asks gate.Verdict) gate.Verdict {
	for _, g := range r.gates {
		if g.Asked == nil || asks.Ask == nil || !asks.Ask.IsForCall() {
			continue
		}
		said := r.check(ctx, gate.Gate{Name: g.Name, Check: g.Asked}, k)
		switch {
		case said.Refusal != "" || said.Arguments.Raw() != nil:
			said.Spares = false
			return said
		case said.Spares:
			k.Spared = true
			asks = r.check(ctx, asking, k)
		}
	}
	return asks
}

// guard handles a call that cannot be planned or is never allowed. It passes the call through the gates
// that check the whole turn, because a model may also repeat such calls endlessly.
func (r *runner) guard(ctx context.Context, k *call, later []*call) ending {
	for _, g := range r.gates {
		if g.Stage != gate.StageGuard {
			continue
		}
		verdict := r.check(ctx, g, k)
		if verdict.Ask != nil {
			verdict = r.ask(ctx, k, *verdict.Ask, later)
		}
		if end := r.end(verdict); end.rest {
			return end
		}
	}
	return ending{}
}

// end returns how a verdict affects the turn, and queues the user's instruction if the verdict has one.
func (r *runner) end(v gate.Verdict) ending {
	if v.Instruction != "" {
		r.instruct(v.Instruction)
	}
	switch {
	case errors.Is(v.End, gate.ErrDenied):
		return ending{rest: true, stop: StopDenied}
	case errors.Is(v.End, gate.ErrPlanIsAnswer):
		return ending{rest: true, stop: StopDone}
	case errors.Is(v.End, gate.ErrRepeating):
		return ending{rest: true, stop: StopRepeating}
	}
	return ending{rest: v.End != nil || v.Instruction != "", err: v.End}
}

// check calls one gate while the owner continues serving the inbox. If the turn is interrupted, check
// does not wait for the gate.
func (r *runner) check(ctx context.Context, g gate.Gate, k *call) gate.Verdict {
	done, passing := make(chan gate.Verdict, 1), k.Call
	go func() { done <- g.Ask(ctx, passing) }()
	verdict, checked := awaitWithin(ctx, r.inbox, done)
	if !checked {
		return gate.Verdict{Refusal: gate.NotRun}
	}
	return verdict
}

// runAfterGates passes the answer of a finished call to the gates. A gate may change the answer or end
// the turn.
func (r *runner) runAfterGates(ctx context.Context, k *call) {
	defer func() {
		if p := recover(); p != nil {
			k.answer = k.answer.WithNote("[" + internalError(k, p).Error() + "]")
		}
	}()
	for _, g := range r.gates {
		if g.After == nil {
			continue
		}
		answer, err := g.After(ctx, k.Call, k.answer, k.took)
		k.answer, k.stops = answer, cmp.Or(k.stops, err)
	}
}

// ask puts the question of a gate to the user and returns the verdict from the answer. The question
// also lists the later calls of the reply that require approval.
func (r *runner) ask(ctx context.Context, k *call, question gate.Question, later []*call) gate.Verdict {
	if question.IsForCall() {
		question.Approval.Call = k.Number
		for _, next := range r.foresee(ctx, later) {
			if r.consent.WouldAsk(next.Call) {
				question.Approval.After = append(question.Approval.After, next.Preview.Title)
			}
		}
	}
	decision, answered := r.asker.put(ctx, question)
	if question.IsForCall() {
		k.asked = decisionOf(decision, answered, question.Approval)
	}
	if !answered {
		k.unanswered = true
		return gate.Verdict{Refusal: "not run: the user interrupted instead of answering"}
	}
	if !decision.Allow && question.IsForCall() {
		k.denied = &decision
	}
	verdict := question.Then(decision)
	r.asker.others()
	return verdict
}

package chat

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"agent/internal/gate"
	"agent/internal/reachlog"
	"agent/internal/tools"
)

// maxCalls limits how many calls of one reply are run.
const maxCalls = 256

// run answers every call of a reply. Read-only calls run in parallel. Edits and commands run one after
// the other in the model's order. When run returns, every call has exactly one response in the history
// (D-32), even after a failure. A stop other than "" ends the turn.
func (r *runner) run(ctx context.Context, requested []understood, out *Outcome) (Stop, error) {
	r.advised = &tools.AdviceGiven{}
	calls := r.newCalls(requested)
	r.syntax = newSyntax(r.env, calls)
	for i := maxCalls; i < len(calls); i++ {
		calls[i].refused = fmt.Sprintf(answerTooMany, maxCalls)
	}
	for len(calls) > 0 {
		batch := calls[:parallel(calls)]
		calls = calls[len(batch):]
		end := r.runBatch(ctx, batch, calls, out)
		if end.answer != "" {
			out.Response = end.answer
		}
		if end.rest || end.err != nil {
			return end.stop, cmp.Or(r.abandon(calls, gate.NotRun), end.err)
		}
		r.inbox.serve()
	}
	return "", nil
}

// parallel returns how many calls at the beginning of calls may run in parallel. Calls of unknown tools
// are included, because they do nothing.
func parallel(calls []*call) int {
	n := 0
	for n < len(calls) && (calls[n].tool.Parallel || calls[n].unknown) {
		n++
	}
	return max(n, 1)
}

// runBatch runs one group of calls and stores their answers in the model's order. rest holds the
// calls of the reply that follow the group.
func (r *runner) runBatch(ctx context.Context, batch, rest []*call, out *Outcome) (end ending) {
	for i, k := range batch {
		out.ToolCalls++
		r.ran++
		if r.plan(ctx, k); k.refused != "" {
			if !end.rest {
				end = r.guard(ctx, k, slices.Concat(batch[i+1:], rest))
			}
			continue
		}
		if end.rest {
			k.refused = gate.NotRun
			continue
		}
		end = r.admit(ctx, k, slices.Concat(batch[i+1:], rest))
	}
	done := r.start(ctx, batch)
	for range batch {
		await(r.inbox, done)
	}
	r.inbox.serve() // emit the output of the calls before their ends
	for _, k := range batch {
		if k.refused != "" {
			k.answer = tools.Answer{Error: k.refused}
		} else if k.replaced {
			k.answer = k.answer.WithNote("[Note: the call ran with other arguments: " + k.Arguments.String() + "]")
		}
		answer := k.answer
		k.remark(r.nameNotes(k))
		k.remark(r.syntax.notesAfter(k))
		for _, g := range r.gates {
			if g.Remark != nil {
				k.remark(g.Remark(k.Call, answer))
			}
		}
		if answer.Searches > 0 {
			r.searched(answer.Searches, answer.Cost)
		}
		end.err = cmp.Or(end.err, r.storeAnswer(k), k.stops)
		for _, g := range r.gates {
			if g.Ended != nil {
				g.Ended(k.Call, answer, k.took)
			}
		}
	}
	return end
}

// start starts the calls of a batch and returns a channel that delivers each call when it is
// done.
func (r *runner) start(ctx context.Context, batch []*call) <-chan *call {
	done := make(chan *call, len(batch))
	for _, k := range batch {
		k.started, k.reached = r.now(), &reachlog.HostList{}
		if k.refused == "" && ctx.Err() != nil {
			k.refused = gate.NotRun
		}
		if k.refused != "" {
			done <- k
			continue
		}
		r.emit(ToolStarted{Call: k.Number, ID: k.ID, Name: k.Name, Label: k.Said})
		if k.plan.Begin != nil {
			k.plan.Begin()
		}
		go func() {
			if r.lockFiles(ctx, k) {
				defer func() { <-r.writing }()
			}
			k.answer = apply(reachlog.Watch(ctx, k.reached.Add), k)
			k.took = r.now().Sub(k.started)
			if !k.typed && ctx.Err() == nil {
				r.runAfterGates(ctx, k)
			}
			done <- k
		}()
	}
	return done
}

// lockFiles waits until no other call of the conversation or its agents changes files, and takes the
// lock. It returns false without the lock if the call is read-only or the turn ends.
func (r *runner) lockFiles(ctx context.Context, k *call) bool {
	if k.Preview.ReadOnly || !k.tool.Edits && !k.tool.Runs {
		return false
	}
	select {
	case r.writing <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

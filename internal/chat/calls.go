package chat

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"agent/internal/compression"
	"agent/internal/gate"
	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/llm/vendor"
	"agent/internal/reachlog"
	"agent/internal/settings"
	"agent/internal/tools"
	"agent/internal/tools/decode"
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

func (r *runner) next() int {
	r.numbered++
	return r.numbered
}

func (r *runner) newCalls(requested []understood) []*call {
	calls := make([]*call, len(requested))
	for i, asked := range requested {
		calls[i] = r.newCall(asked)
	}
	return calls
}

// newCall looks up the tool of a call and makes the checks that do not need a plan.
func (r *runner) newCall(asked understood) *call {
	tool, err := r.tools.Get(asked.Name)
	k := &call{tool: tool, unknown: err != nil, remarked: asked.Remark, notes: asked.Notes}
	k.Call = gate.Call{Number: r.next(), ID: asked.id, Name: asked.Name, Traits: tool.Traits, Arguments: asked.Arguments}
	if r.within != nil {
		k.AgentID, k.Agent = r.within.ID, r.within.Name
	}
	k.Said = r.tools.Traits(k.Name).Describe(k.Name, k.Arguments)
	r.emit(CallRequested{Call: k.Number, ID: k.ID, Name: k.Name, Label: k.Said, Arguments: k.Arguments})
	switch {
	case err != nil:
		k.refused = err.Error()
	case asked.cut:
		k.refused = fmt.Sprintf("the call of %s was cut at the model's output limit; use several smaller calls", asked.Name)
	case (!tool.IsHarmless() || tool.Stateful) && compression.HasOmissionNote(k.Arguments.String()):
		k.refused = fmt.Sprintf("the arguments of %s contain a placeholder for omitted text, not the text itself; send the text, or read the file again and edit it", asked.Name)
	case !k.Arguments.IsObject():
		k.refused = decode.NotObjectMessage(asked.Name, k.Arguments.InvalidText())
	}
	return k
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

// plan makes the plan of a call while the owner continues serving the inbox. A call that cannot be
// planned is marked refused.
func (r *runner) plan(ctx context.Context, k *call) {
	if k.refused == "" && ctx.Err() != nil {
		k.refused = gate.NotRun
	}
	if k.refused != "" {
		return
	}
	env, done := r.toolEnv(k), make(chan error, 1)
	go func() { done <- k.work(ctx, env) }()
	if err, _ := await(r.inbox, done); err != nil {
		k.refused = err.Error()
	}
}

// foresee returns copies of calls, planned against the present state. It omits calls whose plan fails.
// The calls themselves are planned again when they run.
func (r *runner) foresee(ctx context.Context, calls []*call) []*call {
	done := make(chan []*call, 1)
	copies := make([]*call, 0, len(calls))
	envs := make([]*tools.Env, 0, len(calls))
	for _, k := range calls {
		if later := *k; k.refused == "" {
			copies, envs = append(copies, &later), append(envs, r.toolEnv(&later))
		}
	}
	go func() {
		var planned []*call
		for i, k := range copies {
			if k.work(ctx, envs[i]) == nil {
				planned = append(planned, k)
			}
		}
		done <- planned
	}()
	planned, _ := await(r.inbox, done)
	return planned
}

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

// toolEnv returns the environment for a call: a copy of the shared environment with the present limits,
// whose output goes to the screen.
func (r *runner) toolEnv(k *call) *tools.Env {
	env := *r.env
	env.Call, env.CallID = k.Number, k.ID
	env.Archive = r.archive
	env.Asked = func(abs string) bool {
		return slices.ContainsFunc(r.history.RawHistory(), func(entry *history.Content) bool {
			return entry.Speaker == history.Human && history.AsksFor(entry.Text(), abs)
		})
	}
	env.Output = &liveOutput{inbox: r.inbox, emit: r.emit, call: k.Number}
	if env.Typed = k.typed; !k.typed {
		env.Advised = r.advised
	}
	env.Limits = tools.Limits{
		OutputTokens:        r.outputLimit(),
		FoundTokens:         settings.FoundMaxTokens.Value(r.settings),
		OutlineTokens:       OutlineTokens(r.settings),
		ReadLines:           settings.FileReadMaxLines.Value(r.settings),
		ExactEdits:          settings.EditTolerance.Value(r.settings) == settings.TolerateNone,
		PrivateAddresses:    settings.WebFetchPrivate.Value(r.settings),
		ShellTimeoutSeconds: settings.ShellTimeoutSeconds.Value(r.settings),
	}
	return &env
}

// OutlineTokens returns the file size in tokens from which the first read returns only an outline. If
// the setting is unset, it is 0, except for model families that worked well with outlines. Their
// default also requires that the prompt cache is on, which makes the additional request cheap.
func OutlineTokens(s *settings.Settings) int {
	const usual = 6000
	tokens, set := settings.ReadOutlineTokens.Get(s)
	if !set && vendor.FamilyOf(settings.Model.Value(s)).Outlines && settings.PromptCache.Value(s) != string(llm.CacheOff) {
		return usual
	}
	return tokens
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

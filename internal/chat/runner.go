package chat

import (
	"context"
	"fmt"
	"slices"
	"time"

	"agent/internal/compression"
	"agent/internal/gate"
	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/llm/vendor"
	"agent/internal/settings"
	"agent/internal/tools"
	"agent/internal/tools/decode"
)

// runner runs the calls of the model. Only the owner goroutine of the chat uses it.
type runner struct {
	inbox    inbox
	emit     emitter
	now      func() time.Time
	tools    *tools.Registry
	env      *tools.Env
	settings *settings.Settings
	history  *history.Service
	asker    *asker
	// within describes the subagent that makes the calls. It is nil in a conversation of the user.
	within *SubagentConfig
	// below returns the instructions that apply to a file; nil if there are none.
	below func(file string) []NestedInstructions
	// gates are the gates that each planned call passes, in this order. consent is the last.
	gates   []gate.Gate
	consent *gate.Consent
	// outputLimit returns the limit of one result in tokens, which depends on the context (D-41).
	outputLimit func() int
	// writing is a lock that a call holds while it runs, if it may change files. Agents share the lock
	// of their parent.
	writing chan struct{}
	// archive returns pruned content. It is nil if the session is not recorded.
	archive tools.Archive
	// searched counts web searches and their price in USD.
	searched func(n int, usd float64)
	// store adds an answer to the history.
	store func(*history.Content) error
	// numbered counts the calls of a session. ran counts the calls of the model that began to run.
	numbered, ran int
	// nested holds instructions to add to the history before the next request.
	nested []history.Block
	// advised records the sandbox advice in the answers to the calls of the latest reply.
	advised *tools.AdviceGiven
	// syntax checks the files that the calls of the latest reply edit.
	syntax *syntax
	// said holds the notes about names that the model has already received.
	said map[string]bool
	// instruct queues a message of the user, sent instead of an approval of the refused calls.
	instruct func(text string)
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

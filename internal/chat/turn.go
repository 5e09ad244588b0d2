package chat

import (
	"context"
	"errors"

	"agent/internal/atcmd"
	"agent/internal/gate"
	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/settings"
)

// turn processes a message of the user until the model requests no more calls. It adds the message,
// then sends requests and runs tool calls in a loop. Before every request it makes the context fit. The
// history is valid however the turn ends.
func (c *Chat) turn(ctx context.Context, message atcmd.Message) (Outcome, error) {
	defer c.modes.consent.EndTurn()
	if c.config.AsSubagent == nil { // the changes of a subagent belong to the turn of the user
		c.config.Env.Snapshots.BeginTurn(message.Text())
	}
	said, err := c.expand(ctx, message)
	if err == nil {
		err = c.addUserMessage(message, said)
	}
	c.waiting.noteDelivered()
	if errors.Is(err, errNotAllowed) {
		return Outcome{Stop: StopDenied}, nil
	}
	if err != nil {
		return c.outcomeOf(ctx, Outcome{}, err)
	}
	if said.Reply != nil {
		return answeredBy(ctx, c, said.Reply)
	}
	return c.converse(ctx)
}

// answeredBy ends a turn with a reply that does not come from the model.
func answeredBy(ctx context.Context, c *Chat, reply func(context.Context) (string, error)) (Outcome, error) {
	text, err := reply(ctx)
	if err == nil {
		c.lastReply = text
		err = c.add(history.New(history.AI, &history.Text{Text: text}))
		c.emit(TextDelta{Delta: text})
		c.emit(ReplyEnded{Text: text})
	}
	return c.outcomeOf(ctx, Outcome{Response: text}, err)
}

// converse runs the part of a turn after its message is added to the history.
func (c *Chat) converse(ctx context.Context) (Outcome, error) {
	defer c.modes.consent.EndTurn()
	c.modes.narrowAgain()
	var out Outcome
	c.loop.Reset()
	c.nudge = ""
	if c.config.AsSubagent == nil {
		c.Agents.spent.Store(0)
	}
	stops := 0
	if _, err := c.moments.begin(ctx); err != nil {
		return c.outcomeOf(ctx, out, err)
	}
	for answered, nudged := false, false; ; {
		// Checked before the queue, so that a message that would not be answered stays queued.
		if limit := settings.MaxTurns.Value(c.config.Settings); limit >= 0 && int(c.Agents.spent.Load()) >= limit {
			if c.config.AsSubagent == nil { // a subagent reports this in its status
				c.emit.notice("Stopped after %d model requests (max-turns). Send a message to continue", limit)
			}
			return out.stopped(StopMaxTurns), nil
		}
		if err := c.stats.checkCost(); err != nil {
			return c.outcomeOf(ctx, out, err)
		}
		if err := c.addNested(); err != nil {
			return c.outcomeOf(ctx, out, err)
		}
		delivered, err := c.deliverQueued(ctx)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return c.outcomeOf(ctx, out, err)
		}
		if answered && delivered == 0 {
			if answered, err = c.moments.stopping(ctx, c.lastReply, &stops); err != nil || !answered {
				return c.outcomeOf(ctx, out, err)
			}
		}
		last, err := c.paces()
		if err != nil {
			return c.outcomeOf(ctx, out, err)
		}
		reply, err := c.request(ctx, &out)
		if err == nil && last {
			err = c.runner.abandon(c.runner.newCalls(reply.understood), answerNotNow)
		}
		if err != nil || last {
			return c.outcomeOf(ctx, out, err)
		}
		if reply.empty() && !nudged && reply.finish != finishLength {
			nudged, c.nudge = true, emptyReply
			continue
		}
		if c.nudge, nudged = "", nudged && reply.empty(); reply.empty() {
			if c.config.Policy.Unattended {
				return c.outcomeOf(ctx, out, reply.nothing())
			}
			c.emit.notice("%v", reply.nothing())
		}
		if len(reply.calls) == 0 {
			if err := c.replies.writtenCall(reply); err != nil {
				if c.config.Policy.Unattended {
					return c.outcomeOf(ctx, out, err)
				}
				c.emit.notice("%v", err)
			}
			if c.inbox.serve(); len(c.waiting.queue) > 0 {
				answered = true
				continue
			}
			if c.awaitAgents(ctx) {
				continue
			}
			if again, err := c.moments.stopping(ctx, c.lastReply, &stops); err != nil || !again {
				return c.outcomeOf(ctx, out, err)
			}
			continue
		}
		answered = false
		stop, err := c.runner.run(ctx, reply.understood, &out)
		if err != nil {
			return c.outcomeOf(ctx, out, err)
		}
		if stop != "" {
			return out.stopped(stop), nil
		}
	}
}

// Errors that end a non-interactive turn without an answer. A script must not mistake such an end for
// an answer.
var (
	errEmptyReply  = errors.New("the model sent an empty reply. Ask again, or try another model")
	errCutThinking = errors.New("the reply reached the output limit before the answer began. Raise max-output-tokens, or lower reasoning.effort")
)

// nothing returns an error with the reason why a reply is empty.
func (r *reply) nothing() error {
	if r.finish == finishLength {
		return errCutThinking
	}
	return errEmptyReply
}

// request makes the context fit, sends the request and stores the reply. If the provider refuses the
// content, request omits content and sends again, until nothing can be omitted. If the context is too
// long, it sends one smaller request (S-12).
func (c *Chat) request(ctx context.Context, out *Outcome) (*reply, error) {
	shortened := false
	for {
		r, err := c.fitAndSend(ctx, out)
		if err == nil && ctx.Err() == nil { // an interrupted request is no answer
			c.refusals.sent = nil
		}
		var refusal *llm.Error
		if long := errors.As(err, &refusal) && refusal.Kind == llm.ContextOverflow; long {
			if shortened {
				return r, err
			}
			shortened = true
		}
		if err != nil && ctx.Err() == nil && c.config.FallBack != nil &&
			c.config.FallBack(ctx, FailedRequest{Err: err, Tokens: c.window.Measure.Tokens(), Inquire: c.asker.inquirer()}) {
			c.emitStatus()
			continue
		}
		again, err := c.refusals.recovers(err)
		if back, is := errors.AsType[takenBackError](err); is && c.config.AsSubagent != nil {
			err = back.error // the task does not return to a prompt, so the error is final
		}
		if !again {
			return r, err
		}
	}
}

func (c *Chat) fitAndSend(ctx context.Context, out *Outcome) (*reply, error) {
	if err := EnsureCompressionBeforeSend(ctx, c.window); err != nil {
		return nil, err
	}
	if added, err := c.moments.begin(ctx); err != nil {
		return nil, err
	} else if added {
		if err := EnsureCompressionBeforeSend(ctx, c.window); err != nil {
			return nil, err
		}
	}
	if err := c.stats.checkCost(); err != nil {
		return nil, err // a summary may have used up max-cost
	}
	request, err := buildRequest(&c.config, c.window)
	if err != nil {
		return nil, err
	}
	c.stats.warnOfStep(c.window, c.config.Endpoint)
	request.Schema = c.schema
	if c.nudge != "" {
		request.History = withNudge(request.History, c.nudge)
	}
	return c.send(ctx, request, out)
}

func (c *Chat) send(ctx context.Context, request llm.Request, out *Outcome) (*reply, error) {
	provider, err := c.config.Endpoint.Provider()
	if err != nil {
		return nil, err
	}
	// If the user chose no model, Provider has chosen one.
	request.Model = settings.Model.Value(c.config.Settings)
	entries := request.History
	request, void := withoutVoid(&c.config, request)
	omitUnsent(&c.config, request.Model, void)
	c.stats.cache.sending(request)
	c.stats.noteVoid(len(void), c.stats.cache.watch.FirstChange())
	out.Requests++
	c.stats.Requests++
	c.Agents.spent.Add(1)
	c.emit(RequestStarted{})
	c.Warming.sending(entries, request, provider)
	r, err := c.replies.stream(ctx, provider, request)
	if !r.counted && (err == nil || r.hasBegun()) {
		c.stats.estimate(r.model, c.estimated(r), c.config.Settings, c.config.Endpoint)
	}
	if r.attached != nil {
		r.attached.Past = llm.ConversationDigest(request)
	}
	storeErr := c.replies.store(r, err)
	c.stats.cache.tell()
	if storeErr != nil {
		return r, errors.Join(storeErr, c.runner.abandon(c.runner.newCalls(r.understood), gate.NotRun))
	}
	if err == nil {
		out.Response, out.Cut = r.text.String(), r.cutReason()
		c.lastReply = out.Response
	}
	return r, err
}

// countUsage adds the provider's figures of a request to model and reports them.
func (c *Chat) countUsage(model string, u llm.Usage) {
	c.stats.count(model, u, c.config.Settings, c.config.Endpoint)
	c.emit(reportedOf(u))
	c.stats.cache.reported(model, u)
	c.Warming.reported(u)
	c.emitStatus()
}

// estimated returns the size of a request and its reply in tokens by our own count.
func (c *Chat) estimated(r *reply) llm.Usage {
	completion := c.config.Counter(r.model).Count(r.text.String() + r.thought.String())
	for _, call := range r.calls {
		completion += c.config.Counter(r.model).Count(call.Name + call.Arguments)
	}
	return llm.Usage{PromptTokens: c.window.Measure.ToProviderTokens(r.estimate), CompletionTokens: c.window.Measure.ToProviderTokens(completion)}
}

// outcomeOf returns the outcome of a turn. err is the reason for the end, or nil if the model has
// finished. An interrupt and a reached cost limit are not failures.
func (c *Chat) outcomeOf(ctx context.Context, out Outcome, err error) (Outcome, error) {
	var spent *costError
	switch {
	case err == nil:
		return out.stopped(StopDone), nil
	case errors.As(err, &spent):
		if c.config.AsSubagent == nil {
			c.emit.notice("stopped: %v", err)
		}
		return out.stopped(StopMaxCost), nil
	case errors.Is(err, gate.ErrDenied):
		return out.stopped(StopDenied), nil
	case ctx.Err() != nil:
		return out.stopped(StopInterrupted), nil
	case stoppedByHook(err):
		return out.stopped(StopHook), err
	}
	return out.stopped(StopFailed), err
}

// deliverQueued adds the messages typed during the turn and returns their number. A message that cannot
// be sent returns to the prompt, and the others are still added.
func (c *Chat) deliverQueued(ctx context.Context) (delivered int, err error) {
	c.inbox.serve()
	c.announceJobs()
	if _, err := c.deliverReports(); err != nil {
		return 0, err
	}
	for len(c.waiting.queue) > 0 && ctx.Err() == nil {
		message := c.waiting.queue[0]
		c.waiting.delivering = []atcmd.Message{message}
		c.waiting.setQueue(c.waiting.queue[1:])
		said, err := c.expand(ctx, message)
		if err == nil && said.Reply != nil { // during a turn the reply goes to the model as data
			var reply string
			reply, err = said.Reply(ctx)
			said.Blocks = append(said.Blocks, history.NewData(history.SourceCommand, "Another agent's reply to this message:", reply))
		}
		if err != nil {
			c.waiting.noteDelivered()
			c.emit.notice("%v", err)
			continue
		}
		err = c.addUserMessage(message, said)
		c.waiting.noteDelivered()
		if err != nil {
			return delivered, err
		}
		delivered++
	}
	return delivered, nil
}

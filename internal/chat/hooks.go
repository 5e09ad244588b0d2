package chat

import (
	"context"
	"errors"

	"agent/internal/base/humanize"
	"agent/internal/extend/setup/hooks"
	"agent/internal/gate"
	"agent/internal/history"
)

// A HookPoint is an event of the conversation, other than a tool call, at which hooks run.
type HookPoint struct {
	Event hooks.Event
	// About is the text that matchers match: the source of the conversation, or who started the
	// compression.
	About string
	// Text is the message of the user, or the model's latest text.
	Text string
	// Refused counts the consecutive Stop events that hooks refused before this one.
	Refused int
}

// HookResult is the combined result of the hooks of an event.
type HookResult struct {
	// Refused is the reason why hooks refuse the event; "" allows it. By names the hook that refuses
	// the event or ends the turn.
	Refused, By string
	// Ends is the reason why the turn ends; "" means that it continues.
	Ends string
	// Blocks are sent to the model. Notices are lines for the user.
	Blocks  []history.Block
	Notices []string
}

// maxStops limits how many consecutive Stop events hooks may refuse.
const maxStops = 8

// The sources of a conversation, for SessionStart.
const (
	begunNew     = "startup"
	begunClear   = "clear"
	begunCompact = "compact"
)

// moments runs the hooks for events of the conversation.
type moments struct {
	inbox inbox
	emit  emitter
	// run runs the hooks. It is nil if there are none.
	run func(context.Context, HookPoint) HookResult
	// add puts an entry into the history.
	add func(*history.Content) error
	// begun is the source of the conversation until the SessionStart hooks have run. Then it is "".
	begun string
}

// runHooks runs the hooks of an event while the owner continues serving the inbox. If the turn is
// interrupted, runHooks does not wait for them.
func (m *moments) runHooks(ctx context.Context, at HookPoint) HookResult {
	if m.run == nil || ctx.Err() != nil {
		return HookResult{}
	}
	done := make(chan HookResult, 1)
	go func() { done <- m.run(ctx, at) }()
	heard, _ := awaitWithin(ctx, m.inbox, done)
	for _, line := range heard.Notices {
		m.emit.notice("%s", line)
	}
	return heard
}

// begin runs the hooks of SessionStart if they are due, and adds their text for the model as an
// entry. It reports whether it added one.
func (m *moments) begin(ctx context.Context) (added bool, err error) {
	source := m.begun
	if source == "" || m.run == nil {
		return false, nil
	}
	m.begun = ""
	heard := m.runHooks(ctx, HookPoint{Event: hooks.SessionStart, About: source})
	if ctx.Err() != nil {
		m.begun = source // after an interrupted start they run again with the next message
		return false, ctx.Err()
	}
	if heard.Ends != "" {
		return false, &gate.StoppedError{By: heard.By, Why: heard.Ends}
	}
	return m.addHeard(heard.Blocks)
}

// addHeard adds the text that hooks have for the model to the history, as one entry. added is false if
// there is none.
func (m *moments) addHeard(blocks []history.Block) (added bool, err error) {
	if len(blocks) == 0 {
		return false, nil
	}
	return true, m.add(history.New(history.Human, blocks...))
}

// submitted runs the UserPromptSubmit hooks before a message is processed. It returns their blocks for
// the model, or an error if the message must not be sent.
func (m *moments) submitted(ctx context.Context, text string) ([]history.Block, error) {
	if m.run == nil {
		return nil, nil
	}
	if _, err := m.begin(ctx); err != nil {
		return nil, err
	}
	heard := m.runHooks(ctx, HookPoint{Event: hooks.UserPromptSubmit, Text: text})
	switch why := heard.Refused + heard.Ends; {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case why != "":
		return nil, notSentError{&gate.StoppedError{By: heard.By, Why: why}}
	}
	return heard.Blocks, nil
}

// notSentError reports that hooks refused a message.
type notSentError struct{ error }

func (e notSentError) Error() string { return "Message not sent: " + e.error.Error() }

func (e notSentError) Unwrap() error { return e.error }

// stopping runs the Stop hooks, which decide whether the turn may end with lastReply. It reports
// whether the turn continues. refused counts the consecutive refusals of the hooks.
func (m *moments) stopping(ctx context.Context, lastReply string, refused *int) (again bool, err error) {
	if m.run == nil {
		return false, nil
	}
	if *refused == maxStops {
		m.emit.notice("stopped: Stop hooks have continued this turn %s in a row, which is the maximum", humanize.Count(maxStops, "time"))
		return false, nil
	}
	heard := m.runHooks(ctx, HookPoint{Event: hooks.Stop, Text: lastReply, Refused: *refused})
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if _, err = m.addHeard(heard.Blocks); err != nil {
		return false, err
	}
	if heard.Ends != "" {
		m.emit.notice("%v", &gate.StoppedError{By: heard.By, Why: heard.Ends})
	}
	if again = heard.Refused != "" && heard.Ends == ""; again {
		*refused++
		m.emit.notice("%s continues the turn: %s", heard.By, humanize.Headline(heard.Refused))
	}
	return again, nil
}

// compactions runs the hooks of compressions. After a compression the system prompt and the tools may
// change.
type compactions struct {
	moments  *moments
	refreeze func()
}

// BeforeCompression runs the hooks before a compression. It returns the reason if they refuse it, or "".
func (c compactions) BeforeCompression(ctx context.Context, manual bool) (refused string) {
	heard := c.moments.runHooks(ctx, HookPoint{Event: hooks.PreCompact, About: trigger(manual)})
	if heard.Refused != "" {
		return heard.By + " refuses: " + heard.Refused
	}
	return ""
}

// AfterCompression runs the hooks after a compression. The compressed conversation counts as a new beginning,
// so SessionStart is due again.
func (c compactions) AfterCompression(ctx context.Context, manual bool) {
	c.moments.runHooks(ctx, HookPoint{Event: hooks.PostCompact, About: trigger(manual)})
	c.moments.begun = begunCompact
	c.refreeze()
}

func trigger(manual bool) string {
	if manual {
		return "manual"
	}
	return "auto"
}

// stoppedByHook reports whether err means that a hook ended the turn.
func stoppedByHook(err error) bool {
	var by *gate.StoppedError
	return errors.As(err, &by)
}

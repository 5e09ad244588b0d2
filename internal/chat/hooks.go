package chat

import (
	"context"
	"errors"

	"agent/internal/gate"
	"agent/internal/history"
	"agent/internal/setup/hooks"
	"agent/internal/words"
)

// Moment is an event of the conversation, beside its calls, at which hooks have a say.
type Moment struct {
	Event hooks.Event
	// About is what matchers match: where the conversation begins from, who compresses.
	About string
	// Text is what the person says, or what the model said last.
	Text string
	// Refused is how many Stops in a row were refused before this one.
	Refused int
}

// Heard is what hooks say at a moment.
type Heard struct {
	// Refused is why what was to happen does not; empty lets it happen. By says which hook
	// refuses or ends.
	Refused, By string
	// Ends is why the turn ends; empty lets it continue.
	Ends string
	// Blocks are for the model, Notices for the person, a line each.
	Blocks  []history.Block
	Notices []string
}

// ProgramWaiting: a hook or a check takes long, and the turn waits for it. Names is empty
// when that is over.
type ProgramWaiting struct{ Names string }

func (ProgramWaiting) event() {}

// maxStops is how many Stops in a row hooks may refuse.
const maxStops = 8

// Sources of a conversation, for SessionStart.
const (
	begunNew     = "startup"
	begunClear   = "clear"
	begunCompact = "compact"
)

// moments has hooks speak at moments of the conversation.
type moments struct {
	*Config
	inbox inbox
	add   func(*history.Content) error
	// begun is where the conversation begins from, until the hooks of SessionStart have
	// run; empty when they have.
	begun string
}

// hear asks the hooks at a moment while the owner continues serving. They are left behind
// when the turn is interrupted.
func (m *moments) hear(ctx context.Context, at Moment) Heard {
	if m.Hooks == nil || ctx.Err() != nil {
		return Heard{}
	}
	done := make(chan Heard, 1)
	go func() { done <- m.Hooks(ctx, at) }()
	heard, _ := awaitWithin(ctx, m.inbox, done)
	for _, line := range heard.Notices {
		m.notice("%s", line)
	}
	return heard
}

// WaitsFor reports that programs take long, or with "" that they have ended. It may be called
// from any goroutine.
func (m *moments) WaitsFor(names string) { m.inbox.post(func() { m.Emit(ProgramWaiting{names}) }) }

// BeginsFrom has SessionStart hooks run before the next message, since the conversation
// begins from somewhere. It may be called from any goroutine.
func (m *moments) BeginsFrom(source string) {
	if m.Hooks != nil {
		m.inbox.post(func() { m.begun = source })
	}
}

// begin runs the hooks of SessionStart if they are due. What they say is an entry of its
// own; it reports whether there is one.
func (m *moments) begin(ctx context.Context) (added bool, err error) {
	source := m.begun
	if source == "" || m.Hooks == nil {
		return false, nil
	}
	m.begun = ""
	heard := m.hear(ctx, Moment{Event: hooks.SessionStart, About: source})
	if ctx.Err() != nil {
		m.begun = source // it was not heard
		return false, ctx.Err()
	}
	if heard.Ends != "" {
		return false, &gate.StoppedError{By: heard.By, Why: heard.Ends}
	}
	return m.addHeard(heard.Blocks)
}

// addHeard adds what hooks say to the model as an entry.
func (m *moments) addHeard(blocks []history.Block) (added bool, err error) {
	if len(blocks) == 0 {
		return false, nil
	}
	return true, m.add(history.New(history.Human, blocks...))
}

// submitted asks the hooks about a message before anything is done with it. The error is
// that it is not sent.
func (m *moments) submitted(ctx context.Context, text string) ([]history.Block, error) {
	if m.Hooks == nil {
		return nil, nil
	}
	if _, err := m.begin(ctx); err != nil {
		return nil, err
	}
	heard := m.hear(ctx, Moment{Event: hooks.UserPromptSubmit, Text: text})
	switch why := heard.Refused + heard.Ends; {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case why != "":
		return nil, notSentError{&gate.StoppedError{By: heard.By, Why: why}}
	}
	return heard.Blocks, nil
}

// notSentError says that hooks refused a message.
type notSentError struct{ error }

func (e notSentError) Error() string { return "the message was not sent: " + e.error.Error() }

func (e notSentError) Unwrap() error { return e.error }

// stopping asks the hooks whether the turn may end with what the model said last, of which so
// many in a row refused. It reports whether the turn continues.
func (m *moments) stopping(ctx context.Context, lastReply string, refused *int) (again bool, err error) {
	if m.Hooks == nil {
		return false, nil
	}
	if *refused == maxStops {
		m.notice("hooks of Stop had the turn go on %s in a row; it ends all the same", words.Count(maxStops, "time"))
		return false, nil
	}
	heard := m.hear(ctx, Moment{Event: hooks.Stop, Text: lastReply, Refused: *refused})
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if _, err = m.addHeard(heard.Blocks); err != nil {
		return false, err
	}
	if heard.Ends != "" {
		m.notice("%v", &gate.StoppedError{By: heard.By, Why: heard.Ends})
	}
	if again = heard.Refused != "" && heard.Ends == ""; again {
		*refused++
		m.notice("%s has the turn go on: %s", heard.By, words.Headline(heard.Refused))
	}
	return again, nil
}

// compacting asks the hooks whether a compression may happen; refused says why not.
func (m *moments) compacting(ctx context.Context, manual bool) (refused string) {
	heard := m.hear(ctx, Moment{Event: hooks.PreCompact, About: trigger(manual)})
	if heard.Refused != "" {
		return heard.By + " refuses: " + heard.Refused
	}
	return ""
}

// compacted reports a compression to the hooks. The conversation begins from it.
func (m *moments) compacted(ctx context.Context, manual bool) {
	m.hear(ctx, Moment{Event: hooks.PostCompact, About: trigger(manual)})
	m.begun = begunCompact
}

func trigger(manual bool) string {
	if manual {
		return "manual"
	}
	return "auto"
}

// stopped reports whether an error is that a hook ended the turn.
func stopped(err error) bool {
	var by *gate.StoppedError
	return errors.As(err, &by)
}

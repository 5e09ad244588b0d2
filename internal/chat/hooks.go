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

// hear asks the hooks at a moment while the owner continues serving. They are left behind
// when the turn is interrupted.
func (c *Chat) hear(ctx context.Context, m Moment) Heard {
	if c.Hooks == nil || ctx.Err() != nil {
		return Heard{}
	}
	done := make(chan Heard, 1)
	go func() { done <- c.Hooks(ctx, m) }()
	for {
		select {
		case heard := <-done:
			for _, line := range heard.Notices {
				c.notice("%s", line)
			}
			return heard
		case <-ctx.Done():
			return Heard{}
		case act := <-c.inbox:
			act()
		}
	}
}

// WaitsFor reports that programs take long, or with "" that they have ended. It may be called
// from any goroutine.
func (c *Chat) WaitsFor(names string) { c.inbox.post(func() { c.Emit(ProgramWaiting{names}) }) }

// BeginsFrom has SessionStart hooks run before the next message, since the conversation
// begins from somewhere. It may be called from any goroutine.
func (c *Chat) BeginsFrom(source string) {
	if c.Hooks != nil {
		c.inbox.post(func() { c.begun = source })
	}
}

// begin runs the hooks of SessionStart if they are due. What they say is an entry of its
// own; it reports whether there is one.
func (c *Chat) begin(ctx context.Context) (added bool, err error) {
	source := c.begun
	if source == "" || c.Hooks == nil {
		return false, nil
	}
	c.begun = ""
	heard := c.hear(ctx, Moment{Event: hooks.SessionStart, About: source})
	if ctx.Err() != nil {
		c.begun = source // it was not heard
		return false, ctx.Err()
	}
	if heard.Ends != "" {
		return false, &gate.StoppedError{By: heard.By, Why: heard.Ends}
	}
	return c.addHeard(heard.Blocks)
}

// addHeard adds what hooks say to the model as an entry.
func (c *Chat) addHeard(blocks []history.Block) (added bool, err error) {
	if len(blocks) == 0 {
		return false, nil
	}
	return true, c.add(history.New(history.Human, blocks...))
}

// submitted asks the hooks about a message before anything is done with it. The error is
// that it is not sent.
func (c *Chat) submitted(ctx context.Context, text string) ([]history.Block, error) {
	if c.Hooks == nil {
		return nil, nil
	}
	if _, err := c.begin(ctx); err != nil {
		return nil, err
	}
	heard := c.hear(ctx, Moment{Event: hooks.UserPromptSubmit, Text: text})
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

// stopping asks the hooks whether the turn may end, of which so many in a row refused. It
// reports whether it goes on.
func (c *Chat) stopping(ctx context.Context, refused *int) (again bool, err error) {
	if c.Hooks == nil {
		return false, nil
	}
	if *refused == maxStops {
		c.notice("hooks of Stop had the turn go on %s in a row; it ends all the same", words.Count(maxStops, "time"))
		return false, nil
	}
	heard := c.hear(ctx, Moment{Event: hooks.Stop, Text: c.lastReply, Refused: *refused})
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if _, err = c.addHeard(heard.Blocks); err != nil {
		return false, err
	}
	if heard.Ends != "" {
		c.notice("%v", &gate.StoppedError{By: heard.By, Why: heard.Ends})
	}
	if again = heard.Refused != "" && heard.Ends == ""; again {
		*refused++
		c.notice("%s has the turn go on: %s", heard.By, words.Headline(heard.Refused))
	}
	return again, nil
}

// compacting asks the hooks whether a compression may happen; refused says why not.
func (c *Chat) compacting(ctx context.Context, manual bool) (refused string) {
	heard := c.hear(ctx, Moment{Event: hooks.PreCompact, About: trigger(manual)})
	if heard.Refused != "" {
		return heard.By + " refuses: " + heard.Refused
	}
	return ""
}

// compacted reports a compression to the hooks. The conversation begins from it.
func (c *Chat) compacted(ctx context.Context, manual bool) {
	c.hear(ctx, Moment{Event: hooks.PostCompact, About: trigger(manual)})
	c.begun = begunCompact
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

package tui

import (
	"cmp"
	"fmt"
	"time"

	"agent/internal/chat"
	"agent/internal/testrun"
	"agent/internal/tui/style"
	"agent/internal/words"
)

// turn is what the screen shows of the turn in progress.
type turn struct {
	running      bool
	interrupting bool
	started      time.Time
	// askedAt is when a question began to wait, and asked how long questions have
	// waited: that time is the person's.
	askedAt time.Time
	// plan is the plan that the person is asked about, "" for none.
	plan  string
	asked time.Duration
	// returned is set when a message came back unsent.
	returned bool
	// arriving says the call that the model is writing.
	arriving string
	// summariser is the model that is writing a summary of the conversation.
	summariser string
	// hook is the hook that is waited for.
	hook string
	// written is how much text and reasoning came, in bytes.
	written int
	retry   retry
	silence silence
	// cost is what the session had cost when the turn began, in USD.
	cost float64
	// saving is what pruning had saved in the session when the turn began.
	saving chat.Saving
	// requests counts those that were answered.
	requests int
	// files counts the files that were changed, added and removed their lines. They are known
	// at the end.
	files, added, removed int
	// tests are the results of the latest tests, nil for none.
	tests *testrun.Counts
	// freed is what pruning took out of the context.
	freed freed
}

// retry is a request that failed and is tried again.
type retry struct {
	attempt int
	reason  string
	// at is when the next try is made, zero once something came.
	at time.Time
}

// silence is a model that sends nothing: since when, and when that was reported last.
type silence struct{ since, told time.Time }

// lasts reports whether nothing came since it was said: it would be said again.
func (s silence) lasts(now time.Time) bool {
	return !s.told.IsZero() && now.Sub(s.told) < chat.SilenceTold+time.Second
}

// took is how long the turn has worked, without the time of questions.
func (u *turn) took(now time.Time) time.Duration {
	if u.started.IsZero() {
		return 0 // it began before this screen
	}
	asked := u.asked
	if !u.askedAt.IsZero() {
		asked += now.Sub(u.askedAt)
	}
	return now.Sub(u.started) - asked
}

// answered ends the time of a question.
func (u *turn) answered(now time.Time) {
	if !u.askedAt.IsZero() {
		u.asked += now.Sub(u.askedAt)
		u.askedAt = time.Time{}
	}
}

// doing says what the turn does: waiting for the model, writing, or running tools.
func (a *activity) doing() string {
	u, now := &a.turn, a.opts.Now()
	switch {
	case u.interrupting:
		return "interrupting"
	case u.hook != "":
		return "waiting for " + style.Clean(u.hook)
	case u.retry.attempt > 0 && now.Before(u.retry.at):
		return fmt.Sprintf("try %d in %s", u.retry.attempt, words.Elapsed(u.retry.at.Sub(now)+time.Second-1))
	case u.silence.lasts(now):
		return "nothing from " + a.modelName() + " for " + words.Elapsed(now.Sub(u.silence.since))
	case u.summariser != "":
		return "summarising with " + style.Clean(u.summariser)
	case u.arriving != "":
		return "next: " + u.arriving
	case a.reply.thinking():
		return "thinking"
	case len(a.tools) > 0:
		return "running"
	case u.written > 0:
		return "writing · ~" + words.Tokens(u.written/4) + " tokens"
	}
	return "waiting for " + a.modelName()
}

func (a *activity) modelName() string { return cmp.Or(style.Reveal(a.status.Model).Text, "the model") }

// workingView says what the turn does and how to stop it.
func (a *activity) workingView(width int) []string {
	var lines []string
	for _, line := range a.commands {
		lines = append(lines, style.Truncate(a.spinner()+" "+style.Clean(words.FirstLine(line)), width))
	}
	if !a.turn.running {
		return lines
	}
	now := a.opts.Now()
	head, rest := a.spinner()+" "+a.doing()+" · ", words.Elapsed(a.turn.took(now))+" · Esc interrupts"
	if len(a.tools) > 0 && !a.turn.interrupting {
		head = "  turn " // the tools have clocks of their own
	}
	if queue := ", sends the queue"; len(a.queued) > 0 && style.Width(head+rest+queue) <= width {
		rest += queue
	}
	if room := width - style.Width(rest); style.Width(head) > room && room > 10 {
		head = style.Truncate(head, room-3) + " · "
	}
	line := head + rest
	if r := a.turn.retry; now.Before(r.at) {
		line += " · " + style.Reveal(words.FirstLine(r.reason)).Text
	}
	return append(lines, a.theme.Dim.Text(style.Truncate(line, width)))
}

// retried says what was tried again. failed means that its error is said.
func (a *activity) retried(failed bool) {
	switch r := a.turn.retry; {
	case r.attempt == 0:
	case r.at.IsZero():
		a.note(dim, "↻", fmt.Sprintf("it took %d tries: %s", r.attempt, r.reason))
	case !failed:
		a.note(dim, "↻", words.Count(r.attempt-1, "try")+" failed: "+r.reason)
	}
}

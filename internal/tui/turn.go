package tui

import (
	"cmp"
	"fmt"
	"time"

	"agent/internal/base/humanize"
	"agent/internal/base/testrun"
	"agent/internal/chat"
	"agent/internal/tui/style"
)

// turn holds the displayed state of the turn in progress.
type turn struct {
	running      bool
	interrupting bool
	started      time.Time
	// askedAt is the time at which the currently open question appeared. asked is the total time for which
	// questions were open. That time does not count as work of the turn.
	askedAt time.Time
	// open counts the open questions; subagents can ask at the same time.
	open int
	// plan is the plan that the user is asked to approve, or "" for none.
	plan  string
	asked time.Duration
	// returned is set once a message was returned unsent.
	returned bool
	// arriving describes the call that the model is writing.
	arriving string
	// summarizer is the model that is writing a summary of the conversation.
	summarizer string
	// hook is the hook that the turn waits for.
	hook string
	// written is the amount of text and reasoning received, in bytes.
	written int
	retry   retry
	silence silence
	// before holds the statistics of the session at the beginning of the turn.
	before chat.Stats
	// requested is set while a request has not been answered.
	requested bool
	// requests counts the answered requests.
	requests int
	// files counts the changed files. added and removed count their lines. They are known at the end of the
	// turn.
	files, added, removed int
	// tests holds the results of the latest tests, or nil for none.
	tests *testrun.Counts
	// freed sums the content that pruning removed.
	freed freed
}

// retry is a failed request that is being retried.
type retry struct {
	attempt int
	reason  string
	// at is the time of the next attempt, or zero once the model has answered.
	at time.Time
}

// silence is a period in which the model sends nothing. It began at since, and told is the time of the
// latest report about it.
type silence struct{ since, told time.Time }

// lasts reports whether the silence continues. A silence is reported again every chat.SilenceInterval, so an
// older report means that it has ended.
func (s silence) lasts(now time.Time) bool {
	return !s.told.IsZero() && now.Sub(s.told) < chat.SilenceInterval+time.Second
}

// workTime returns the time that the turn has worked, without the time for which questions were open.
func (u *turn) workTime(now time.Time) time.Duration {
	if u.started.IsZero() {
		return 0 // the turn began before this screen was opened
	}
	return now.Sub(u.started) - u.waited(now)
}

// waited returns the total time for which questions were open in the turn.
func (u *turn) waited(now time.Time) time.Duration {
	if u.askedAt.IsZero() {
		return u.asked
	}
	return u.asked + now.Sub(u.askedAt)
}

// asks starts measuring the time for which questions are open, and answered stops it. Several questions
// that are open at the same time count once.
func (u *turn) asks(now time.Time) {
	if u.open++; u.askedAt.IsZero() {
		u.askedAt = now
	}
}

func (u *turn) answered(now time.Time) {
	u.open = max(0, u.open-1)
	if u.open == 0 && !u.askedAt.IsZero() {
		u.asked += now.Sub(u.askedAt)
		u.askedAt = time.Time{}
	}
}

// doing describes the present step of the turn: waiting for the model, writing, or running tools.
func (a *activity) doing() string {
	u, now := &a.turn, a.surface.now()
	switch {
	case u.interrupting:
		return "interrupting"
	case u.hook != "":
		return "waiting for " + style.Clean(u.hook)
	case u.retry.attempt > 0 && now.Before(u.retry.at):
		return fmt.Sprintf("attempt %d in %s", u.retry.attempt, humanize.Elapsed(u.retry.at.Sub(now)+time.Second-1))
	case u.silence.lasts(now):
		return "nothing from " + a.modelName() + " for " + humanize.Elapsed(now.Sub(u.silence.since))
	case u.summarizer != "":
		return "summarizing with " + style.Clean(u.summarizer)
	case u.arriving != "":
		return "next: " + u.arriving
	case a.reply.thinking():
		return "thinking"
	case len(a.tools) > 0:
		return "running"
	case u.written > 0:
		return "writing · ~" + humanize.Tokens(u.written/4) + " tokens"
	}
	if n := a.surface.status.Agents; n > 0 && !u.requested {
		return "waiting for " + humanize.Count(n, "agent")
	}
	return "waiting for " + a.modelName()
}

func (a *activity) modelName() string {
	return cmp.Or(style.Reveal(a.surface.status.Model).Text, "the model")
}

// workingView returns lines about the running commands and the turn, with the key that interrupts the turn.
func (a *activity) workingView(width int) []string {
	var lines []string
	for i, line := range a.commands {
		head, ends := a.surface.spinner()+" "+style.Clean(humanize.FirstLine(line)), ""
		if a.aside && i == len(a.commands)-1 {
			ends = " · Esc ends it"
		}
		lines = append(lines, style.Truncate(head, max(10, width-style.Width(ends)))+ends)
	}
	if !a.turn.running {
		return lines
	}
	now := a.surface.now()
	head, rest := a.surface.spinner()+" "+a.doing()+" · ", humanize.Elapsed(a.turn.workTime(now))+" · Esc interrupts"
	if len(a.tools) > 0 && !a.turn.interrupting {
		head = "  turn " // each tool shows its own time, so this time is labeled as the turn's
	}
	if queue := " and sends the queue"; len(a.queued) > 0 && style.Width(head+rest+queue) <= width {
		rest += queue
	}
	if room := width - style.Width(rest); style.Width(head) > room && room > 10 {
		head = style.Truncate(head, room-3) + " · "
	}
	line := head + rest
	if r := a.turn.retry; now.Before(r.at) {
		line += " · " + style.Reveal(humanize.FirstLine(r.reason)).Text
	}
	return append(lines, a.surface.theme.Dim.Text(style.Truncate(line, width)))
}

// printRetries prints a note about failed attempts. failed is set if the turn's error is printed anyway.
func (a *activity) printRetries(failed bool) {
	switch r := a.turn.retry; {
	case r.attempt == 0:
	case r.at.IsZero():
		a.surface.note(dim, "↻", fmt.Sprintf("after %d attempts: %s", r.attempt, r.reason))
	case !failed:
		a.surface.note(dim, "↻", humanize.Count(r.attempt-1, "attempt")+" failed: "+r.reason)
	}
}

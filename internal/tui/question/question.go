// Package question asks the user for decisions. Questions holds the open questions, in order, and the state
// of the first question, which is the only one shown. The interface (package tui) has one Questions. Each
// question is an OpenQuestion: a call of the model to approve, an inquiry of the model, or the question of a
// command. A key or a line results in a Reply with the decision. The package keeps two promises:
//
// The question shows exactly the call that will run. No part of a command or a change is interpreted as a
// control sequence, removed or left invisible (style.Reveal). If the question does not fit, a text points
// this out, and the user must see its end before approving the call.
//
// Typing never answers by accident. A letter answers only when it is alone: not right after the question
// appeared, not while the user types a message, and not if another key follows immediately. A letter that
// is typed too early or twice is held and not inserted. If more letters follow, the word belongs to the
// message, like all other typing.
package question

import (
	"context"
	"slices"
	"strings"
	"time"

	"agent/internal/chat"
	"agent/internal/command"
	"agent/internal/tools"
	"agent/internal/tui/edit"
	"agent/internal/tui/style"
	"agent/internal/tui/term"
)

// These durations determine whether a letter answers or is part of a text.
const (
	// readingTime is the time for which a question must be visible before a letter answers it.
	readingTime = 400 * time.Millisecond
	// aloneTime is the time after a letter in which no other key may follow.
	aloneTime = 250 * time.Millisecond
	// typingTime is the time after a key for which the user counts as typing a message when a question
	// interrupts.
	typingTime = 1500 * time.Millisecond
	// heldTime is the time for which a letter without an effect is held as the beginning of a word.
	heldTime = time.Second
)

// Questions holds the open questions, oldest first, and the state of the answer to the first question. The
// zero value has no questions.
type Questions struct {
	waiting []OpenQuestion
	// owns counts the questions of commands, so that each has its own ID.
	owns int
	// since is the time at which the first question was shown.
	since time.Time
	// drafting is set while keys belong to the message. It ends at the time until, unless until is zero.
	drafting bool
	until    time.Time
	// letter is a typed answer that takes effect at the time at, unless another key follows before.
	letter string
	at     time.Time
	// held is the text of the letters that were typed too early or twice and had no effect. heldAt is the
	// time of the latest letter.
	held   string
	heldAt time.Time
	// answered is the letter that answered the previous question. answeredAt is the time of that answer.
	answered   string
	answeredAt time.Time
	// selected is the number of the choice that the arrow keys have selected, from 1. 0 means none.
	selected int
	// given holds the answers to the earlier inquiries of the call. marked holds the options that are
	// marked in the current inquiry, if several can be chosen.
	given  []tools.InquiryAnswer
	marked []int
	// reason is the editor for a reason or an answer in other words. It is nil while the user types
	// neither.
	reason *edit.Editor
	body   body
	// theme, width and room are the arguments of the latest Arrange.
	theme       *style.Theme
	width, room int
	// tall is set if every choice has its own row.
	tall bool
}

// Reply is the effect of a key, a line or elapsed time.
type Reply struct {
	// Draft is the text to add to the message.
	Draft string
	// Pass is set if the key is for the rest of the interface.
	Pass bool
	// Hint is the reason why a key had no effect.
	Hint string
	// View requests the whole question in the pager. End requests a pager that begins at the end.
	View, End bool
	// Run is a command line to run, because the user approved the question of a command. Yes is called
	// instead unless it is nil.
	Run string
	Yes func(context.Context) (command.Output, error)
	// Declined is set if the user declined the question of a command. Says is the message for this case, or
	// "" for "left unchanged".
	Declined bool
	Says     string
	// Answered is set if the question ID was decided. Stop is set if the turn must end, too.
	Answered bool
	ID       int
	Decision chat.Decision
	Stop     bool
}

// IsOpen reports whether a question is open.
func (q *Questions) IsOpen() bool { return len(q.waiting) > 0 }

// Position returns the number of the question that is shown, from 1, and the number of questions. For a
// call with inquiries, both count its inquiries. Otherwise they count the open questions. The total also
// includes the questions that the remaining calls of the model's reply will certainly cause.
func (q *Questions) Position() (n, of int) {
	if q.inquiry() != nil {
		return q.First().Step + 1, len(q.First().Preview.Inquiries)
	}
	return 1, max(len(q.waiting), 1+len(q.First().After))
}

// HasCommandQuestion reports whether a question of a command is open.
func (q *Questions) HasCommandQuestion() bool {
	return slices.ContainsFunc(q.waiting, func(asked OpenQuestion) bool { return asked.Own != nil })
}

// OutdatedIDsFunc returns a function that lists the IDs of outdated questions of commands. The function
// may be called from any goroutine. It is nil if no question can be outdated.
func (q *Questions) OutdatedIDsFunc() func() []int {
	current := map[int]func() bool{}
	for _, asked := range q.waiting {
		if asked.Own != nil && asked.Own.Current != nil {
			current[asked.ID] = asked.Own.Current
		}
	}
	if len(current) == 0 {
		return nil
	}
	return func() (outdated []int) {
		for id, is := range current {
			if !is() {
				outdated = append(outdated, id)
			}
		}
		return outdated
	}
}

// IsDrafting reports whether keys belong to the message.
func (q *Questions) IsDrafting() bool { return q.IsOpen() && q.drafting }

// IsTooEarly reports whether an answer at the time now was typed before the user could read the question.
func (q *Questions) IsTooEarly(now time.Time) bool { return now.Before(q.since.Add(readingTime)) }

// IsAsking reports whether the question receives the keys.
func (q *Questions) IsAsking() bool { return q.IsOpen() && !q.drafting }

// IsExplaining reports whether the user is typing a reason or an answer in words.
func (q *Questions) IsExplaining() bool { return q.IsAsking() && q.reason != nil }

// First returns the question that is shown.
func (q *Questions) First() OpenQuestion { return q.waiting[0] }

// Add adds a call to approve. typed is the time of the last key in the message.
func (q *Questions) Add(approval chat.Approval, now, typed time.Time) {
	q.waiting = append(q.waiting, OpenQuestion{Approval: approval})
	if len(q.waiting) == 1 {
		q.show(now)
		if now.Sub(typed) < typingTime {
			q.drafting, q.until = true, now.Add(typingTime)
		}
	}
}

// show resets the state for the first waiting question.
func (q *Questions) show(now time.Time) {
	*q = Questions{
		waiting: q.waiting, owns: q.owns, since: now,
		held: q.held, heldAt: q.heldAt, answered: q.answered, answeredAt: q.answeredAt,
	}
	if q.IsOpen() {
		q.body.hidden = hidden(q.First())
		if q.First().IsSecret() {
			q.reason = &edit.Editor{}
		}
	}
}

// Uncover reports that the screen, which was covered since the time since, is visible again. A question
// that was added in the meantime counts as shown only now.
func (q *Questions) Uncover(since, now time.Time) {
	if q.IsAsking() && q.since.After(since) {
		q.since = now
	}
}

// Settle removes the question with the given ID, which no longer needs an answer.
func (q *Questions) Settle(id int, now time.Time) {
	i := slices.IndexFunc(q.waiting, func(asked OpenQuestion) bool { return asked.ID == id })
	if i < 0 {
		return
	}
	q.waiting = slices.Concat(q.waiting[:i], q.waiting[i+1:])
	if i == 0 {
		q.show(now)
	}
}

// FocusMessage makes the message receive the keys.
func (q *Questions) FocusMessage() { q.drafting, q.until, q.letter, q.held = true, time.Time{}, "", "" }

// FocusQuestion makes the question receive the keys again.
func (q *Questions) FocusQuestion(now time.Time) {
	q.drafting, q.letter, q.since = false, "", now
}

// WakeAt returns the time at which to call Wake, or the zero time for never.
func (q *Questions) WakeAt() time.Time {
	switch {
	case q.letter != "":
		return q.at
	case q.IsDrafting():
		return q.until
	}
	return time.Time{}
}

// Wake handles elapsed time. A letter that no other key has followed answers. Once the user has stopped
// typing the message, the question receives the keys.
func (q *Questions) Wake(now time.Time) Reply {
	if q.letter != "" && !now.Before(q.at) {
		letter := q.letter
		q.letter = ""
		reply := q.choose(letter, now)
		if reply.Answered || reply.Run != "" || reply.Declined {
			q.answered, q.answeredAt = letter, now
		}
		return reply
	}
	if q.drafting && !q.until.IsZero() && !now.Before(q.until) {
		q.FocusQuestion(now)
	}
	return Reply{}
}

// Key handles a key. While no question is open, it intercepts only a repeat of the letter that
// has just answered.
func (q *Questions) Key(k term.Key, now time.Time) Reply {
	switch {
	case !q.IsOpen():
		return q.echoKey(k, now)
	case q.reason != nil:
		return q.reasonKey(k, now)
	case q.drafting:
		return q.draftKey(k, now)
	case k.IsText():
		return q.letterKey(k, now)
	}
	if q.letter != "" && k.Name == "enter" && q.inquiry() != nil {
		letter := q.letter
		q.letter = ""
		return q.choose(letter, now)
	}
	if q.letter != "" && k.Name != "esc" && k.Name != "ctrl+c" {
		return q.moveTyped("", now) // an editing key means that the letter began a message
	}
	return q.namedKey(k, now)
}

// draftKey handles a key while the message receives the keys.
func (q *Questions) draftKey(k term.Key, now time.Time) Reply {
	switch k.Name {
	case "esc":
		q.FocusQuestion(now)
		return Reply{}
	case "shift+tab":
	default:
		q.until = time.Time{} // the user is typing a message; no timeout ends it now
	}
	return Reply{Pass: true}
}

func (q *Questions) namedKey(k term.Key, now time.Time) Reply {
	switch k.Name {
	case "esc", "alt+esc", "ctrl+c":
		return q.choose("esc", now)
	case "tab":
		q.FocusMessage()
	case "left":
		q.back(now)
	case "up", "down", "enter":
		if !q.IsTooEarly(now) {
			return q.selectKey(k.Name, now)
		}
	case "pgup":
		q.body.scroll(-1)
	case "pgdown":
		q.body.scroll(1)
	case "shift+tab", "ctrl+o", "ctrl+l", "ctrl+z":
		return Reply{Pass: true}
	}
	return Reply{}
}

// selectKey selects a choice with the arrow keys, and answers with Enter.
func (q *Questions) selectKey(name string, now time.Time) Reply {
	switch {
	case name == "up":
		q.move(-1)
	case name == "down":
		q.move(1)
	case q.inquiry() != nil && q.inquiry().Several:
		return q.enterSeveral(now)
	case q.selected > 0 && q.selected <= len(q.choices()):
		return q.choose(q.choices()[q.selected-1].key, now)
	}
	return Reply{}
}

// move selects the next or the previous choice.
func (q *Questions) move(by int) {
	n, at := len(q.choices()), q.selected-1
	if by < 0 {
		at = max(0, at)
	}
	q.selected = (at+by+n)%n + 1
}

func (q *Questions) choose(key string, now time.Time) Reply {
	switch key {
	case "y", "a", forGood, inSandbox, "1", "2", "3", "4":
		switch {
		case q.body.endSeen:
		case q.body.cramped:
			q.body.endSeen = true
			return Reply{View: true, End: true}
		default:
			q.body.showEnd()
			return Reply{}
		}
		if i := q.inquiry(); i != nil {
			return q.pick(optionOf(i, key), now)
		}
		return q.answer(chat.Decision{Allow: true, Always: key == "a", Keep: key == forGood, Sandbox: key == inSandbox}, false, now)
	case "n":
		switch {
		case q.First().Own != nil:
			return q.answer(chat.Decision{}, false, now)
		case q.inquiry() != nil:
			return q.pick(optionOf(q.inquiry(), key), now)
		}
		q.reason = &edit.Editor{}
	case ownWords:
		q.writeOwn("")
	case editFirst:
		q.writeOwn(q.inquiry().Draft)
	case "d":
		return q.answer(chat.Decision{Always: true}, false, now)
	case "v":
		return Reply{View: true}
	case "esc":
		return q.answer(chat.Decision{}, true, now)
	}
	return Reply{}
}

// answer decides the first question and shows the next one.
func (q *Questions) answer(d chat.Decision, stop bool, now time.Time) Reply {
	reply := Reply{Answered: true, ID: q.waiting[0].ID, Decision: d, Stop: stop}
	if own := q.First().Own; own != nil {
		switch {
		case d.Allow:
			reply = Reply{Run: own.YesCommand, Yes: own.Yes}
		case d.Always:
			reply = Reply{Run: own.NeverCommand}
		default:
			reply = Reply{Declined: true, Says: own.NoLine}
		}
	}
	q.waiting = q.waiting[1:]
	q.show(now)
	return reply
}

// reasonKey handles a key while a reason or an answer in words is being typed.
func (q *Questions) reasonKey(k term.Key, now time.Time) Reply {
	switch k.Name {
	case "enter":
		if q.First().IsSecret() {
			return q.giveSecret(q.reason.Value(), now)
		}
		if q.inquiry() != nil {
			return q.giveOwn(now)
		}
		return q.answer(chat.Decision{Reason: strings.TrimSpace(q.reason.Value())}, false, now)
	case "esc", "alt+esc":
		if q.First().IsSecret() {
			return q.answer(chat.Decision{}, false, now)
		}
		q.reason = nil
	case "ctrl+c":
		return q.choose("esc", now)
	case "ctrl+l", "ctrl+z":
		return Reply{Pass: true}
	default:
		q.reason.Key(k.Name, k.Text)
	}
	return Reply{}
}

// Paste handles pasted text. It returns false if the text belongs to the message.
func (q *Questions) Paste(text string) bool {
	if q.reason != nil {
		q.reason.InsertPaste(text)
		return true
	}
	if q.IsOpen() {
		q.FocusMessage()
	}
	return false
}

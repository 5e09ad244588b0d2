// Package question is how a person consents: the calls that wait for an answer, the
// keys that answer, and what is shown of them. Two promises:
//
// What is shown is what will run. Nothing of a command or a change is obeyed,
// removed or left invisible (style.Reveal); what does not fit is said, and its end is
// shown before it can be approved.
//
// Typing never answers. A letter answers only when it is alone: not right after
// the question appeared, not while a message is being typed, and with no other key
// close behind it. A letter that answers too early or twice is held, not typed; a word that
// continues with it belongs to the message, as everything else does that is typed.
package question

import (
	"slices"
	"strings"
	"time"

	"agent/internal/chat"
	"agent/internal/tools"
	"agent/internal/tui/edit"
	"agent/internal/tui/style"
	"agent/internal/tui/term"
)

// How long a key must be away from others to be an answer.
const (
	// readingTime is how long a question must have been on the screen.
	readingTime = 400 * time.Millisecond
	// aloneTime is how long after a letter no other key may come.
	aloneTime = 250 * time.Millisecond
	// typingTime is how long after a key the person is taken to be still typing the
	// message that a question came in the middle of.
	typingTime = 1500 * time.Millisecond
	// heldTime is how long a letter that answers nothing is held as the beginning of a
	// word.
	heldTime = time.Second
)

// Questions are the calls that wait for a decision, oldest first, and how far the
// person is with the first of them. The zero value has none.
type Questions struct {
	waiting []Asked
	// owns numbers the questions of commands.
	owns int
	// since is when the first one was shown.
	since time.Time
	// drafting is set while keys belong to the message; it ends by itself at until,
	// unless that is zero.
	drafting bool
	until    time.Time
	// letter is an answer that waits to be alone, until at.
	letter string
	at     time.Time
	// held is what was typed that answers nothing, too early or twice, the latest of it at
	// heldAt.
	held   string
	heldAt time.Time
	// answered is the letter that answered the question before, at answeredAt.
	answered   string
	answeredAt time.Time
	// selected is the choice picked with the arrows, from 1; 0 is none.
	selected int
	// given are the answers to the inquiries before the present one, marked the options
	// that are chosen of it where several may be.
	given  []tools.Given
	marked []int
	// reason is the editor for why not, or for an answer in own words; nil while neither is
	// typed.
	reason *edit.Editor
	body   body
	// theme, width and room are those it was arranged for.
	theme       *style.Theme
	width, room int
	// tall is whether every choice has a row of its own.
	tall bool
}

// Reply is what a key meant.
type Reply struct {
	// Draft is what was typed for the message.
	Draft string
	// Pass is set when the key is for the rest of the interface.
	Pass bool
	// Hint says why a key did nothing.
	Hint string
	// View asks for all of the question in the pager; End for its end first.
	View, End bool
	// Run is a line to run: the person said yes to what a command had shown.
	Run string
	// Left is set when the person said no to what a command had shown; Says is what to say
	// then, empty for that it is left as it is.
	Left bool
	Says string
	// Answered is set when ID was decided. Stop is set when the turn shall end too.
	Answered bool
	ID       int
	Decision chat.Decision
	Stop     bool
}

// Open reports whether a question waits.
func (q *Questions) Open() bool { return len(q.waiting) > 0 }

// Place is which of how many questions is shown: those of one call that asks, else the
// calls that wait, and those that the rest of the reply is known to ask.
func (q *Questions) Place() (n, of int) {
	if q.inquiry() != nil {
		return q.First().Step + 1, len(q.First().Preview.Inquiries)
	}
	return 1, max(len(q.waiting), 1+len(q.First().After))
}

// Owned reports whether a question waits about what a command of the person would do.
func (q *Questions) Owned() bool {
	return slices.ContainsFunc(q.waiting, func(asked Asked) bool { return asked.Own != nil })
}

// Drafting reports whether keys belong to the message.
func (q *Questions) Drafting() bool { return q.Open() && q.drafting }

// TooEarly reports whether what answers now was typed before the question was read.
func (q *Questions) TooEarly(now time.Time) bool { return now.Before(q.since.Add(readingTime)) }

// Asking reports whether the question owns the keys.
func (q *Questions) Asking() bool { return q.Open() && !q.drafting }

// Explaining reports whether it is being typed why not.
func (q *Questions) Explaining() bool { return q.Asking() && q.reason != nil }

// First is the question that is shown.
func (q *Questions) First() Asked { return q.waiting[0] }

// Add takes a question. typed is when the message was last typed at.
func (q *Questions) Add(approval chat.Approval, now, typed time.Time) {
	q.waiting = append(q.waiting, Asked{Approval: approval})
	if len(q.waiting) == 1 {
		q.show(now)
		if now.Sub(typed) < typingTime {
			q.drafting, q.until = true, now.Add(typingTime)
		}
	}
}

// show begins with the first question.
func (q *Questions) show(now time.Time) {
	*q = Questions{
		waiting: q.waiting, owns: q.owns, since: now,
		held: q.held, heldAt: q.heldAt, answered: q.answered, answeredAt: q.answeredAt,
	}
	if q.Open() {
		q.body.hidden = hidden(q.First())
	}
}

// Uncover is called when what covered the screen is gone: a question that came behind
// it, after since, is only now read.
func (q *Questions) Uncover(since, now time.Time) {
	if q.Asking() && q.since.After(since) {
		q.since = now
	}
}

// Settle drops a question that needs no answer any more.
func (q *Questions) Settle(id int, now time.Time) {
	i := slices.IndexFunc(q.waiting, func(asked Asked) bool { return asked.ID == id })
	if i < 0 {
		return
	}
	q.waiting = slices.Concat(q.waiting[:i], q.waiting[i+1:])
	if i == 0 {
		q.show(now)
	}
}

// Draft hands the keys to the message.
func (q *Questions) Draft() { q.drafting, q.until, q.letter, q.held = true, time.Time{}, "", "" }

// Ask hands the keys back to the question.
func (q *Questions) Ask(now time.Time) {
	q.drafting, q.letter, q.since = false, "", now
}

// WakeAt is when Wake is to be called, the zero time for never.
func (q *Questions) WakeAt() time.Time {
	switch {
	case q.letter != "":
		return q.at
	case q.Drafting():
		return q.until
	}
	return time.Time{}
}

// Wake does what time does: a letter that stood alone answers, and a message that is
// not being typed any more gives the keys to the question.
func (q *Questions) Wake(now time.Time) Reply {
	if q.letter != "" && !now.Before(q.at) {
		letter := q.letter
		q.letter = ""
		reply := q.choose(letter, now)
		if reply.Answered || reply.Run != "" || reply.Left {
			q.answered, q.answeredAt = letter, now
		}
		return reply
	}
	if q.drafting && !q.until.IsZero() && !now.Before(q.until) {
		q.Ask(now)
	}
	return Reply{}
}

// Key takes a key. Where no question is open it keeps only the echo of an answer: a
// letter that was pressed twice.
func (q *Questions) Key(k term.Key, now time.Time) Reply {
	switch {
	case !q.Open():
		return q.echoKey(k, now)
	case q.reason != nil:
		return q.reasonKey(k, now)
	case q.drafting:
		return q.draftKey(k, now)
	case k.Types():
		return q.letterKey(k, now)
	}
	if q.letter != "" && k.Name == "enter" && q.inquiry() != nil {
		letter := q.letter
		q.letter = ""
		return q.choose(letter, now)
	}
	if q.letter != "" && k.Name != "esc" && k.Name != "ctrl+c" {
		return q.typed("", now) // an editing key: a message is being typed
	}
	return q.namedKey(k, now)
}

// draftKey takes a key while a message is typed.
func (q *Questions) draftKey(k term.Key, now time.Time) Reply {
	switch k.Name {
	case "esc":
		q.Ask(now)
		return Reply{}
	case "shift+tab":
	default:
		q.until = time.Time{} // it is being typed indeed; only Tab, Enter and Esc end it
	}
	return Reply{Pass: true}
}

// namedKey takes a key that does not type.
func (q *Questions) namedKey(k term.Key, now time.Time) Reply {
	switch k.Name {
	case "esc", "alt+esc", "ctrl+c":
		return q.choose("esc", now)
	case "tab":
		q.Draft()
	case "left":
		q.back(now)
	case "up", "down", "enter":
		if !q.TooEarly(now) {
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

// selectKey picks a choice with the arrows, and answers with Enter.
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

// move picks the next or previous choice.
func (q *Questions) move(by int) {
	n, at := len(q.choices()), q.selected-1
	if by < 0 {
		at = max(0, at)
	}
	q.selected = (at+by+n)%n + 1
}

// choose does what a choice says.
func (q *Questions) choose(key string, now time.Time) Reply {
	switch key {
	case "y", "a", forGood, "1", "2", "3", "4":
		switch {
		case q.body.endSeen:
		case q.body.cramped:
			q.body.endSeen = true
			return Reply{View: true, End: true}
		default:
			q.body.showEnd()
			return Reply{}
		}
		if q.inquiry() != nil {
			return q.pick(int(key[0]-'1'), now)
		}
		return q.answer(chat.Decision{Allow: true, Always: key == "a", Keep: key == forGood}, false, now)
	case "n":
		if q.First().Own != nil {
			return q.answer(chat.Decision{}, false, now)
		}
		q.reason = &edit.Editor{}
	case ownWords:
		q.writeOwn("")
	case "d":
		return q.answer(chat.Decision{Always: true}, false, now)
	case "v":
		return Reply{View: true}
	case "esc":
		return q.answer(chat.Decision{}, true, now)
	}
	return Reply{}
}

// answer decides the first question.
func (q *Questions) answer(d chat.Decision, stop bool, now time.Time) Reply {
	reply := Reply{Answered: true, ID: q.waiting[0].ID, Decision: d, Stop: stop}
	if own := q.First().Own; own != nil {
		switch {
		case d.Allow:
			reply = Reply{Run: own.Run}
		case d.Always:
			reply = Reply{Run: own.RunNever}
		default:
			reply = Reply{Left: true, Says: own.Left}
		}
	}
	q.waiting = q.waiting[1:]
	q.show(now)
	return reply
}

// reasonKey takes a key while a reason is typed.
func (q *Questions) reasonKey(k term.Key, now time.Time) Reply {
	switch k.Name {
	case "enter":
		if q.inquiry() != nil {
			return q.giveOwn(now)
		}
		return q.answer(chat.Decision{Reason: strings.TrimSpace(q.reason.Value())}, false, now)
	case "esc", "alt+esc":
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

// Paste takes pasted text. It reports false when it belongs to the message.
func (q *Questions) Paste(text string) bool {
	if q.reason != nil {
		q.reason.InsertPaste(text)
		return true
	}
	if q.Open() {
		q.Draft()
	}
	return false
}

package question

import (
	"strings"
	"time"

	"agent/internal/tui/term"
)

// letterKey takes a key that types: an answer when it is one and is alone, else the
// beginning of a message. A letter that answers but comes too early is held, and one that
// is doubled counts once: neither is typed into the message by itself.
func (q *Questions) letterKey(k term.Key, now time.Time) Reply {
	letter := q.letterOf(k.Text)
	if letter == " " && q.inquiry() != nil && q.selected > 0 && !q.TooEarly(now) {
		return q.choose(q.choices()[q.selected-1].key, now)
	}
	if !q.isChoice(letter) {
		return q.typed(k.Text, now)
	}
	if i := q.inquiry(); i != nil && i.Several && letter != "v" && q.letter == "" && !q.TooEarly(now) {
		return q.choose(letter, now) // a mark is no answer yet
	}
	switch held := q.fresh(now); {
	case held != "" && q.letterOf(held) != letter, q.letter != "" && q.letter != letter:
		return q.typed(k.Text, now) // a word
	case q.TooEarly(now):
		return q.hold(k.Text, k.Text+" came too early: press it again", now)
	}
	q.held = ""
	q.letter, q.at = letter, now.Add(aloneTime)
	return Reply{}
}

// echoKey takes a key while no question is open: the letter that has just answered, again,
// is held as well, since the next question may be on its way.
func (q *Questions) echoKey(k term.Key, now time.Time) Reply {
	switch held := q.fresh(now); {
	case !k.Types():
		q.held = ""
	case q.answered != "" && strings.EqualFold(q.answered, k.Text) && now.Sub(q.answeredAt) < heldTime:
		return q.hold(k.Text, k.Text+" came twice: it counts once", now)
	case held != "":
		q.held, q.answered = "", ""
		return Reply{Draft: held + k.Text}
	default:
		q.answered = ""
	}
	return Reply{Pass: true}
}

// hold keeps a letter that may be the beginning of a word.
func (q *Questions) hold(text, hint string, now time.Time) Reply {
	q.held, q.heldAt = text, now
	return Reply{Hint: hint}
}

// fresh is what is held and may still be the beginning of a word.
func (q *Questions) fresh(now time.Time) string {
	if now.Sub(q.heldAt) > heldTime {
		return ""
	}
	return q.held
}

// typed gives what was typed to the message, with the letters before it. It answers what
// the model asks, and says what to change of its plan, in own words, unless it was begun
// before that was read.
func (q *Questions) typed(text string, now time.Time) Reply {
	text = q.fresh(now) + q.letter + text
	if q.takesWords() && !q.TooEarly(now) {
		q.writeOwn(text)
		return Reply{}
	}
	q.Draft()
	return Reply{Draft: text}
}

// IsAnswers reports a draft of nothing but letters that answer: one of them, however often,
// or two. It was meant for the question.
func (q *Questions) IsAnswers(draft string) bool {
	draft = strings.ToLower(strings.TrimSpace(draft))
	if !q.Open() || draft == "" || len(draft) > 2 && strings.Trim(draft, draft[:1]) != "" {
		return false
	}
	for _, letter := range draft {
		if !q.isChoice(string(letter)) {
			return false
		}
	}
	return true
}

package question

import (
	"strings"
	"time"

	"agent/internal/tui/term"
)

// letterKey handles a key that types a letter. The letter answers if it is a choice and no other letter
// follows it immediately. Otherwise it begins a message. A letter that is typed too early is held, and a
// doubled letter counts once: neither is inserted into the message without further typing.
func (q *Questions) letterKey(k term.Key, now time.Time) Reply {
	letter := q.letterOf(k.Text)
	if letter == " " && q.inquiry() != nil && q.selected > 0 && !q.IsTooEarly(now) {
		return q.choose(q.choices()[q.selected-1].key, now)
	}
	if !q.isChoice(letter) {
		return q.moveTyped(k.Text, now)
	}
	if i := q.inquiry(); i != nil && i.Several && letter != "v" && q.letter == "" && !q.IsTooEarly(now) {
		return q.choose(letter, now) // marking an option does not answer yet
	}
	switch held := q.heldLetter(now); {
	case held != "" && q.letterOf(held) != letter, q.letter != "" && q.letter != letter:
		return q.moveTyped(k.Text, now) // the letters form a word
	case q.IsTooEarly(now):
		return q.hold(k.Text, k.Text+" ignored: the question had just appeared. Press it again", now)
	}
	q.held = ""
	q.letter, q.at = letter, now.Add(aloneTime)
	return Reply{}
}

// echoKey handles a key while no question is open. It also holds a repeat of the letter that has just
// answered, because the next question may be about to appear.
func (q *Questions) echoKey(k term.Key, now time.Time) Reply {
	switch held := q.heldLetter(now); {
	case !k.IsText():
		q.held = ""
	case q.answered != "" && strings.EqualFold(q.answered, k.Text) && now.Sub(q.answeredAt) < heldTime:
		return q.hold(k.Text, k.Text+" counted once: it was pressed twice", now)
	case held != "":
		q.held, q.answered = "", ""
		return Reply{Draft: held + k.Text}
	default:
		q.answered = ""
	}
	return Reply{Pass: true}
}

// hold stores a letter that may be the beginning of a word.
func (q *Questions) hold(text, hint string, now time.Time) Reply {
	q.held, q.heldAt = text, now
	return Reply{Hint: hint}
}

// heldLetter returns the held letter if it may still be the beginning of a word. Otherwise it returns "".
func (q *Questions) heldLetter(now time.Time) string {
	if now.Sub(q.heldAt) > heldTime {
		return ""
	}
	return q.held
}

// moveTyped moves typed text to the message, together with the letters before it. If the question accepts
// words (an inquiry or a plan), the text begins the answer instead. If the user began to type before
// reading the question, the text always belongs to the message.
func (q *Questions) moveTyped(text string, now time.Time) Reply {
	text = q.heldLetter(now) + q.letter + text
	if q.takesWords() && !q.IsTooEarly(now) {
		q.writeOwn(text)
		return Reply{}
	}
	q.FocusMessage()
	return Reply{Draft: text}
}

// IsAnswers reports whether a draft consists only of letters that are choices: one letter, repeated or not,
// or two different letters. The user meant such a draft for the question.
func (q *Questions) IsAnswers(draft string) bool {
	draft = strings.ToLower(strings.TrimSpace(draft))
	if !q.IsOpen() || draft == "" || len(draft) > 2 && strings.Trim(draft, draft[:1]) != "" {
		return false
	}
	for _, letter := range draft {
		if !q.isChoice(string(letter)) {
			return false
		}
	}
	return true
}

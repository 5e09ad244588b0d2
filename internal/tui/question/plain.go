package question

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"agent/internal/chat"
	"agent/internal/tools"
)

// Answers says in a line what may be typed as an answer to the first question, where
// answers are lines.
func (q *Questions) Answers() string {
	if i := q.inquiry(); i != nil {
		number := "Type its number"
		if i.Several {
			number = "Type one or several numbers"
		}
		return number + ", or an answer in your own words; stop: no answer, and stop; v: hear it again."
	}
	var says []string
	for _, c := range q.choices() {
		key, does := c.key, c.does
		switch key {
		case "esc":
			key = "stop"
		case "n":
			if q.First().Own == nil {
				key = "n and a reason"
			}
			does, _, _ = strings.Cut(does, " (")
		case forGood:
			key = "capital A"
		}
		says = append(says, key+": "+does)
	}
	rest := "; v: hear it again; anything else is a message."
	if q.takesWords() {
		rest = "; v: hear it again; anything else says what to change."
	}
	return "Type " + strings.Join(says, "; ") + rest
}

// Line takes a line that was typed while a question is open: an answer, by itself, n with a
// reason behind it, or words where these are an answer. Pass is set for a message.
func (q *Questions) Line(text string, now time.Time) Reply {
	text = strings.TrimSpace(text)
	answer, reason, _ := strings.Cut(text, " ")
	answer = q.letterOf(answer)
	own, inquiry := q.First().Own != nil, q.inquiry()
	switch {
	case answer == "n" && !own && inquiry == nil:
		return q.answer(chat.Decision{Reason: strings.TrimSpace(reason)}, false, now)
	case text == "", text[0] == '/', text[0] == '!':
		return Reply{Pass: true}
	case reason != "":
	case answer == "v":
		return Reply{View: true}
	case (answer == "stop" || answer == "esc") && !own, answer == "n" && own:
		return q.answer(chat.Decision{}, answer != "n", now)
	case answer == "y", answer == "a", answer == forGood, answer == "d":
		if inquiry != nil || !q.isChoice(answer) {
			break
		}
		if q.TooEarly(now) {
			return tooEarly
		}
		return q.answer(chat.Decision{Allow: answer != "d", Always: answer == "a" || answer == "d", Keep: answer == forGood}, false, now)
	}
	switch {
	case !q.takesWords():
		return Reply{Pass: true}
	case q.TooEarly(now):
		return tooEarly
	case inquiry == nil:
		return q.answer(chat.Decision{Reason: text}, false, now)
	}
	if numbers := numbersOf(inquiry, text); numbers != nil {
		return q.give(tools.Given{Chosen: labels(inquiry, numbers)}, now)
	}
	return q.give(tools.Given{Words: text}, now)
}

// tooEarly is what becomes of a line that was typed ahead.
var tooEarly = Reply{Hint: "that was typed before the question was there; answer it again"}

// takesWords reports whether words are an answer: to what the model asks, and to a plan, of
// which they say what to change.
func (q *Questions) takesWords() bool { return q.inquiry() != nil || q.First().Preview.Plan != "" }

// numbersOf reads the numbers of options, from 0 and in their order; nil for anything else.
func numbersOf(i *tools.Inquiry, text string) (numbers []int) {
	for _, field := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' }) {
		n, err := strconv.Atoi(field)
		if err != nil || n < 1 || n > len(i.Options) || len(numbers) > 0 && !i.Several {
			return nil
		}
		numbers = append(numbers, n-1)
	}
	slices.Sort(numbers)
	return slices.Compact(numbers)
}

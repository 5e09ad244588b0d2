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
		}
		says = append(says, key+": "+does)
	}
	rest := "; v: hear it again; anything else is a message."
	if q.takesWords() {
		rest = "; v: hear it again; anything else says what to change."
	}
	return "Type " + strings.Join(says, "; ") + rest
}

// Line takes a line that was typed while a question is open: an answer, by itself, or n
// with a reason behind it. Pass is set for a message.
func (q *Questions) Line(text string, now time.Time) Reply {
	if q.inquiry() != nil {
		return q.inquiryLine(strings.TrimSpace(text), now)
	}
	text = strings.TrimSpace(text)
	answer, reason, _ := strings.Cut(text, " ")
	answer, reason = strings.ToLower(answer), strings.TrimSpace(reason)
	if answer == "esc" {
		answer = "stop"
	}
	switch {
	case answer == "n" && q.First().Own == nil:
		return q.answer(chat.Decision{Reason: reason}, false, now)
	case reason != "":
		return q.words(text, now)
	case answer == "v":
		return Reply{View: true}
	case answer == "stop" && q.First().Own == nil, answer == "n":
		return q.answer(chat.Decision{}, answer == "stop", now)
	case !q.isChoice(answer) || answer == "stop":
		return q.words(text, now)
	case q.TooEarly(now):
		return Reply{Hint: "that was typed before the question was there; answer it again"}
	case answer == "d":
		return q.choose(answer, now)
	}
	return q.answer(chat.Decision{Allow: true, Always: answer == "a"}, false, now)
}

// takesWords reports whether words are an answer: to a plan they say what to change.
func (q *Questions) takesWords() bool { return q.First().Own == nil && q.First().Preview.Plan != "" }

// words takes a line that is no key: the answer where words are one, else a message. A
// command is for the rest of the interface.
func (q *Questions) words(text string, now time.Time) Reply {
	switch {
	case !q.takesWords(), text == "", text[0] == '/', text[0] == '!':
		return Reply{Pass: true}
	case q.TooEarly(now):
		return Reply{Hint: "that was typed before the question was there; answer it again"}
	}
	return q.answer(chat.Decision{Reason: text}, false, now)
}

// inquiryLine takes a line as the answer to what the model asks: numbers of options, or
// words. A command is for the rest of the interface.
func (q *Questions) inquiryLine(text string, now time.Time) Reply {
	switch {
	case text == "", text[0] == '/', text[0] == '!':
		return Reply{Pass: true}
	case text == "v":
		return Reply{View: true}
	case text == "stop", text == "esc":
		return q.choose("esc", now)
	case q.TooEarly(now):
		return Reply{Hint: "that was typed before the question was there; answer it again"}
	}
	if numbers := numbersOf(q.inquiry(), text); numbers != nil {
		return q.give(tools.Given{Chosen: labels(q.inquiry(), numbers)}, now)
	}
	return q.give(tools.Given{Words: text}, now)
}

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

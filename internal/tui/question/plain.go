package question

import (
	"strings"
	"time"

	"agent/internal/chat"
)

// Answers says in a line what may be typed as an answer to the first question, where
// answers are lines.
func (q *Questions) Answers() string {
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
	return "Type " + strings.Join(says, "; ") + "; v: hear it again; anything else is a message."
}

// Line takes a line that was typed while a question is open: an answer, by itself, or n
// with a reason behind it. Pass is set for a message.
func (q *Questions) Line(text string, now time.Time) Reply {
	answer, reason, _ := strings.Cut(strings.TrimSpace(text), " ")
	answer, reason = strings.ToLower(answer), strings.TrimSpace(reason)
	if answer == "esc" {
		answer = "stop"
	}
	switch {
	case answer == "n" && q.First().Own == nil:
		return q.answer(chat.Decision{Reason: reason}, false, now)
	case reason != "":
		return Reply{Pass: true}
	case answer == "v":
		return Reply{View: true}
	case answer == "stop" && q.First().Own == nil, answer == "n":
		return q.answer(chat.Decision{}, answer == "stop", now)
	case !q.isChoice(answer) || answer == "stop":
		return Reply{Pass: true}
	case q.TooEarly(now):
		return Reply{Hint: "that was typed before the question was there; answer it again"}
	}
	return q.answer(chat.Decision{Allow: true, Always: answer == "a"}, false, now)
}

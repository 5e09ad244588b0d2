package question

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"agent/internal/chat"
	"agent/internal/tools"
)

// AnswerHelp returns a line that explains the possible answers to the first question, for an
// interface that reads answers as lines.
func (q *Questions) AnswerHelp() string {
	if q.First().IsSecret() {
		return "Type the key and press Enter; the text stays hidden. An empty line stores no key."
	}
	if i := q.inquiry(); i != nil && !i.YesNo {
		number := "Type a number"
		if i.Several {
			number = "Type one or several numbers"
		}
		return number + ", or an answer in your own words; stop: no answer, and stop; v: repeat the question."
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
			if q.inquiry() != nil {
				key = "n"
			}
			does, _, _ = strings.Cut(does, " (")
		case forGood:
			key = "capital A"
		case editFirst:
			key = "e and the text"
		case ownWords:
			continue
		}
		says = append(says, key+": "+does)
	}
	rest := "; v: repeat the question; anything else is a message."
	switch {
	case q.inquiry() != nil && q.takesWords():
		rest = "; v: repeat the question; anything else is an answer in your own words."
	case q.takesWords():
		rest = "; v: repeat the question; anything else describes the changes."
	}
	return "Type " + strings.Join(says, "; ") + rest
}

// HandleLine handles a line that was typed while a question is open. The line is an answer alone, or n followed
// by a reason, or words if the question accepts words. For a message it sets Pass.
func (q *Questions) HandleLine(text string, now time.Time) Reply {
	if q.First().IsSecret() {
		return q.giveSecret(text, now)
	}
	text = strings.TrimSpace(text)
	answer, reason, _ := strings.Cut(text, " ")
	answer = q.letterOf(answer)
	own, inquiry := q.First().Own != nil, q.inquiry()
	switch {
	case answer == "n" && !own && inquiry == nil:
		return q.answer(chat.Decision{Reason: strings.TrimSpace(reason)}, false, now)
	case text == "", text[0] == '/', text[0] == '!':
		return Reply{Pass: true}
	case inquiry != nil && inquiry.YesNo && q.isChoice(answer) && answer != "v" && (answer != "y" || reason == ""):
		return q.answerYesNo(answer, strings.TrimSpace(reason), now)
	case reason != "":
	case answer == "v":
		return Reply{View: true}
	case (answer == "stop" || answer == "esc") && !own, answer == "n" && own:
		return q.answer(chat.Decision{}, answer != "n", now)
	case answer == "y", answer == "a", answer == forGood, answer == inSandbox, answer == "d":
		if inquiry != nil || !q.isChoice(answer) {
			break
		}
		if q.IsTooEarly(now) {
			return tooEarly
		}
		return q.answer(chat.Decision{Allow: answer != "d", Always: answer == "a" || answer == "d", Keep: answer == forGood, Sandbox: answer == inSandbox}, false, now)
	}
	switch {
	case !q.takesWords():
		return Reply{Pass: true}
	case q.IsTooEarly(now):
		return tooEarly
	case inquiry == nil:
		return q.answer(chat.Decision{Reason: text}, false, now)
	}
	if numbers := numbersOf(inquiry, text); numbers != nil && !inquiry.YesNo {
		return q.give(tools.InquiryAnswer{Chosen: labels(inquiry, numbers)}, now)
	}
	return q.give(tools.InquiryAnswer{Words: text}, now)
}

// answerYesNo answers a yes-or-no question by its key. rest is the text after the key: the reason of a no,
// or the edited draft.
func (q *Questions) answerYesNo(key, rest string, now time.Time) Reply {
	i := q.inquiry()
	switch {
	case key == "esc":
		return q.answer(chat.Decision{}, true, now)
	case key == "n":
		return q.give(tools.InquiryAnswer{Chosen: labels(i, []int{1}), Words: rest}, now)
	case q.IsTooEarly(now):
		return tooEarly
	case key == editFirst && rest == "":
		return Reply{Hint: "type the edited text after e, such as: e " + i.Draft}
	}
	return q.give(tools.InquiryAnswer{Chosen: labels(i, []int{0}), Words: rest}, now)
}

var tooEarly = Reply{Hint: "ignored: typed before the question appeared. Answer again"}

// takesWords reports whether the question can be answered in words. That is so for an inquiry without a
// draft, and for a plan, where the words describe the change to make.
func (q *Questions) takesWords() bool {
	if i := q.inquiry(); i != nil {
		return i.Draft == ""
	}
	return q.First().Preview.Plan != ""
}

// numbersOf parses the numbers of options. It returns the sorted indexes, or nil if the text is anything
// else.
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

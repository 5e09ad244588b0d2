package question

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"agent/internal/chat"
	"agent/internal/tools"
	"agent/internal/tui/edit"
	"agent/internal/tui/style"
)

// Inquiry is what the model asks the person with its present question, nil for a call
// that is to be approved.
func (a Asked) Inquiry() *tools.Inquiry {
	if a.Step >= len(a.Preview.Inquiries) {
		return nil
	}
	return &a.Preview.Inquiries[a.Step]
}

// inquiry is that of the first question.
func (q *Questions) inquiry() *tools.Inquiry { return q.First().Inquiry() }

// inquiryTitle is the question on one line.
func inquiryTitle(i *tools.Inquiry) string {
	title := oneLine(i.Question).Text
	if i.Header != "" {
		title = oneLine(i.Header).Text + ": " + title
	}
	return title
}

// optionRows are the options, for the pager and for people that listen.
func optionRows(t *style.Theme, i *tools.Inquiry, width int) []string {
	var rows []string
	for n, o := range i.Options {
		rows = append(rows, style.WrapSpans(style.Spans{{Text: strconv.Itoa(n+1) + ": ", Style: t.Accent}, {Text: optionText(o)}}, width)...)
	}
	return rows
}

// optionText is an option with what follows from it.
func optionText(o tools.Option) string {
	text := oneLine(o.Label).Text
	if o.Description != "" {
		text += " — " + oneLine(o.Description).Text
	}
	return text
}

// pick takes an option by its number from 0: it is marked where several may be chosen,
// else it is the answer.
func (q *Questions) pick(n int, now time.Time) Reply {
	if !q.inquiry().Several {
		return q.give(tools.Given{Chosen: labels(q.inquiry(), []int{n})}, now)
	}
	if at := slices.Index(q.marked, n); at >= 0 {
		q.marked = slices.Delete(q.marked, at, at+1)
	} else {
		q.marked = append(q.marked, n)
		slices.Sort(q.marked)
	}
	q.selected = n + 1
	return Reply{}
}

// enterSeveral answers where several may be chosen, with what is marked, or the option
// that the cursor is at.
func (q *Questions) enterSeveral(now time.Time) Reply {
	switch options := len(q.inquiry().Options); {
	case q.selected > options:
		return q.choose(q.choices()[q.selected-1].key, now)
	case len(q.marked) > 0:
		return q.give(tools.Given{Chosen: labels(q.inquiry(), q.marked)}, now)
	case q.selected > 0:
		return q.give(tools.Given{Chosen: labels(q.inquiry(), []int{q.selected - 1})}, now)
	}
	return Reply{Hint: "mark what you choose with its number, or type an answer"}
}

// labels are the options with these numbers.
func labels(i *tools.Inquiry, numbers []int) (labels []string) {
	for _, n := range numbers {
		labels = append(labels, i.Options[n].Label)
	}
	return labels
}

// writeOwn begins an answer in the person's own words.
func (q *Questions) writeOwn(text string) {
	q.letter, q.held = "", ""
	q.reason = &edit.Editor{}
	q.reason.InsertPaste(text)
}

// giveOwn answers in the person's own words, beside what is marked.
func (q *Questions) giveOwn(now time.Time) Reply {
	words := strings.TrimSpace(q.reason.Value())
	if words == "" {
		return Reply{}
	}
	return q.give(tools.Given{Chosen: labels(q.inquiry(), q.marked), Words: words}, now)
}

// give answers the present question; the call is answered with the last of them.
func (q *Questions) give(given tools.Given, now time.Time) Reply {
	q.given = append(q.given, given)
	if len(q.given) == len(q.First().Preview.Inquiries) {
		return q.answer(chat.Decision{Allow: true, Answers: q.given}, false, now)
	}
	q.step(q.waiting[0].Step+1, now)
	return Reply{}
}

// back returns to the question before.
func (q *Questions) back(now time.Time) {
	if len(q.given) > 0 {
		q.given = q.given[:len(q.given)-1]
		q.step(q.waiting[0].Step-1, now)
	}
}

// step shows another question of the same call.
func (q *Questions) step(to int, now time.Time) {
	given := q.given
	q.waiting[0].Step = to
	q.show(now)
	q.given = given
}

package question

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"agent/internal/chat"
	"agent/internal/command"
	"agent/internal/tools"
	"agent/internal/tui/edit"
	"agent/internal/tui/style"
)

// Inquiry returns the current question of the model to the user. It returns nil for a call that needs
// approval.
func (a OpenQuestion) Inquiry() *tools.Inquiry {
	if a.Step >= len(a.Preview.Inquiries) {
		return nil
	}
	return &a.Preview.Inquiries[a.Step]
}

func (q *Questions) inquiry() *tools.Inquiry { return q.First().Inquiry() }

// inquiryTitle returns the header and the question of an inquiry as one line.
func inquiryTitle(i *tools.Inquiry) string {
	title := oneLine(i.Question).Text
	if i.Header != "" {
		title = oneLine(i.Header).Text + ": " + title
	}
	return title
}

// optionRows returns the options with their numbers, for the pager and for screen readers.
func optionRows(t *style.Theme, i *tools.Inquiry, width int) []string {
	var rows []string
	for n, o := range i.Options {
		rows = append(rows, style.WrapSpans(style.Spans{{Text: optionKey(i, n) + ": ", Style: t.Accent}, {Text: optionText(o)}}, width)...)
	}
	return rows
}

// optionKey returns the key of option n. It is y or n if the options are a yes and a no, and otherwise the
// number of the option.
func optionKey(i *tools.Inquiry, n int) string {
	if i.YesNo {
		return []string{"y", "n"}[n]
	}
	return strconv.Itoa(n + 1)
}

// optionOf returns the index of the option with a key, or -1 for none.
func optionOf(i *tools.Inquiry, key string) int {
	for n := range i.Options {
		if optionKey(i, n) == key {
			return n
		}
	}
	return -1
}

func optionText(o tools.Option) string {
	text := oneLine(o.Label).Text
	if o.Description != "" {
		text += " — " + oneLine(o.Description).Text
	}
	return text
}

// pick selects an option by its index. If several may be chosen, it marks or unmarks the option. Otherwise
// the option is the answer.
func (q *Questions) pick(n int, now time.Time) Reply {
	if !q.inquiry().Several {
		return q.give(tools.InquiryAnswer{Chosen: labels(q.inquiry(), []int{n})}, now)
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

// enterSeveral answers an inquiry that allows several options. The answer is the marked options or, if none
// is marked, the option at the cursor.
func (q *Questions) enterSeveral(now time.Time) Reply {
	switch options := len(q.inquiry().Options); {
	case q.selected > options:
		return q.choose(q.choices()[q.selected-1].key, now)
	case len(q.marked) > 0:
		return q.give(tools.InquiryAnswer{Chosen: labels(q.inquiry(), q.marked)}, now)
	case q.selected > 0:
		return q.give(tools.InquiryAnswer{Chosen: labels(q.inquiry(), []int{q.selected - 1})}, now)
	}
	return Reply{Hint: "select answers by number, or type one"}
}

func labels(i *tools.Inquiry, numbers []int) (labels []string) {
	for _, n := range numbers {
		labels = append(labels, i.Options[n].Label)
	}
	return labels
}

// writeOwn opens the editor, with text, for an answer in the user's own words.
func (q *Questions) writeOwn(text string) {
	q.letter, q.held = "", ""
	q.reason = &edit.Editor{}
	q.reason.InsertPaste(text)
}

// giveOwn answers with the user's own words, together with the marked options. For a draft, it answers with
// the edited draft.
func (q *Questions) giveOwn(now time.Time) Reply {
	words := strings.TrimSpace(q.reason.Value())
	if words == "" {
		return Reply{}
	}
	if q.inquiry().Draft != "" {
		q.marked = []int{0} // an edited draft counts as yes
	}
	return q.give(tools.InquiryAnswer{Chosen: labels(q.inquiry(), q.marked), Words: words}, now)
}

// IsSecret reports whether the question asks for a line that must not be shown.
func (a OpenQuestion) IsSecret() bool { return a.Own != nil && a.Own.Secret != nil }

// giveSecret answers with a hidden line. An empty line declines.
func (q *Questions) giveSecret(line string, now time.Time) Reply {
	take := q.First().Own.Secret
	line = strings.TrimSpace(line)
	if line == "" {
		return q.answer(chat.Decision{}, false, now)
	}
	q.waiting = q.waiting[1:]
	q.show(now)
	return Reply{Yes: func(ctx context.Context) (command.Output, error) { return take(ctx, line) }}
}

// give answers the current inquiry. After the last inquiry of the call it answers the call.
func (q *Questions) give(given tools.InquiryAnswer, now time.Time) Reply {
	q.given = append(q.given, given)
	if len(q.given) == len(q.First().Preview.Inquiries) {
		return q.answer(chat.Decision{Allow: true, Answers: q.given}, false, now)
	}
	q.step(q.waiting[0].Step+1, now)
	return Reply{}
}

// back returns to the previous inquiry of the call.
func (q *Questions) back(now time.Time) {
	if len(q.given) > 0 {
		q.given = q.given[:len(q.given)-1]
		q.step(q.waiting[0].Step-1, now)
	}
}

// step shows another inquiry of the same call. It keeps the earlier answers.
func (q *Questions) step(to int, now time.Time) {
	given := q.given
	q.waiting[0].Step = to
	q.show(now)
	q.given = given
}

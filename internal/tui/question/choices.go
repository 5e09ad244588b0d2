package question

import "cmp"

// choice is a key that answers, what it does, and the same where there is little room.
type choice struct{ key, does, short string }

// choices are the answers there are to the first question.
func (q *Questions) choices() []choice {
	if i := q.inquiry(); i != nil {
		return inquiryChoices(i, q.marked)
	}
	if own := q.First().Own; own != nil {
		does, no, never := oneLine(own.Does).Text, oneLine(own.No).Text, oneLine(own.Never).Text
		answers := []choice{{"y", does, does}, {"n", cmp.Or(no, "no, leave it as it is") + " (Esc too)", cmp.Or(no, "no")}}
		if never != "" {
			answers = append(answers, choice{"d", never, never})
		}
		return answers
	}
	if q.First().Repeats != "" {
		return []choice{{"y", "yes, go on", "go on"}, {"n", "no, and say what to do instead", "instead"}, {"esc", "no, and stop", "stops"}}
	}
	if q.First().Preview.Plan != "" {
		return q.planChoices()
	}
	out := []choice{{"y", "yes", "yes"}}
	if always := oneLine(q.waiting[0].Always).Text; always != "" && q.body.hidden == 0 && !q.body.cramped {
		out = append(out, choice{"a", "yes, and from now on: " + always, "always: " + always})
	}
	return append(out, choice{"n", "no, and say why", "no"}, choice{"esc", "no, and stop", "stops"})
}

func (q *Questions) isChoice(letter string) bool {
	if letter == "v" {
		return true
	}
	for _, c := range q.choices() {
		if c.key == letter {
			return true
		}
	}
	return false
}

package question

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"agent/internal/chat"
	"agent/internal/command"
	"agent/internal/tui/markdown"
	"agent/internal/tui/patch"
	"agent/internal/tui/style"
)

// Asked is a question that waits: a call of the model, or what a command of the person
// would do.
type Asked struct {
	chat.Approval
	// Own is nil for a call of the model.
	Own *command.Ask
	// Step is which of the model's inquiries is being answered, from 0.
	Step int
}

// AddOwn takes the question of a command that the person has just typed.
func (q *Questions) AddOwn(ask *command.Ask, now time.Time) {
	q.owns++
	q.waiting = append(q.waiting, Asked{Approval: chat.Approval{ID: -q.owns}, Own: ask})
	if len(q.waiting) == 1 {
		q.show(now)
	}
}

// ownWords is the choice of an answer in the person's own words.
const ownWords = "own"

// choice is a key that answers, what it does, and the same where there is little room.
type choice struct{ key, does, short string }

// stops is the last choice wherever the model asks to do something.
var stops = choice{"esc", "no, and stop", "stops"}

// choices are the answers there are to the first question.
func (q *Questions) choices() []choice {
	asked, always, kept := q.First(), "", ""
	if q.body.hidden == 0 && !q.body.cramped {
		always, kept = oneLine(asked.Always).Text, oneLine(asked.Kept).Text
	}
	out := []choice{{"y", "yes", "yes"}}
	switch {
	case q.inquiry() != nil:
		return q.options()
	case asked.Own != nil:
		does, no, never := oneLine(asked.Own.Does).Text, oneLine(asked.Own.No).Text, oneLine(asked.Own.Never).Text
		out = []choice{{"y", does, does}, {"n", cmp.Or(no, "no, leave it as it is") + " (Esc too)", cmp.Or(no, "no")}}
		if never != "" {
			out = append(out, choice{"d", never, never})
		}
		return out
	case asked.Repeats != "":
		return []choice{{"y", "yes, go on", "go on"}, {"n", "no, and say what to do instead", "instead"}, stops}
	case asked.Preview.Plan != "":
		out[0].does = "yes, and ask me before changes (mode ask)"
		if always != "" {
			out = append(out, choice{"a", "yes, and " + always, "yes, and edit"})
		}
		return append(out, choice{"n", "not yet: say what to change, or just type it", "not yet"}, stops)
	case always != "":
		out = append(out, choice{"a", "yes, and from now on: " + always, "always: " + always})
		if kept != "" {
			out = append(out, choice{forGood, "yes, and always in this project: " + kept + often(asked), "always here: " + kept})
		}
	}
	return append(out, choice{"n", "no, and say why", "no"}, stops)
}

// forGood is the key that allows for good. It is a capital letter, which no key beside it is.
const forGood = "A"

// often says how often a person agreed to calls that the rule would have covered, to follow it.
func often(asked Asked) string {
	if asked.Often == "" {
		return ""
	}
	return " · " + oneLine(asked.Often).Text
}

// options are what the model lets choose from, and the ways to choose none of it.
func (q *Questions) options() (all []choice) {
	for n, o := range q.inquiry().Options {
		mark := ""
		if q.inquiry().Several {
			mark = "[ ] "
			if slices.Contains(q.marked, n) {
				mark = "[x] "
			}
		}
		all = append(all, choice{strconv.Itoa(n + 1), mark + optionText(o), mark + oneLine(o.Label).Text})
	}
	return append(all,
		choice{ownWords, "something else: just type it", "words: type"},
		choice{"esc", "no answer, and stop", "stops"})
}

// letterOf returns a letter that was typed as choices name it: a capital letter means the small
// one, unless it is a choice itself.
func (q *Questions) letterOf(typed string) string {
	if typed == forGood && q.Open() && q.isChoice(typed) {
		return typed
	}
	return strings.ToLower(typed)
}

func (q *Questions) isChoice(letter string) bool {
	return letter == "v" || slices.ContainsFunc(q.choices(), func(c choice) bool { return c.key == letter })
}

// ownRows lay out what the question of a command is about.
func ownRows(t *style.Theme, ask *command.Ask, width int) []string {
	var rows []string
	for i, part := range ask.Parts {
		if i > 0 && part.Diff != "" {
			rows = append(rows, "")
		}
		if part.Title != "" {
			rows = append(rows, titleRows(t, oneLine(part.Title).Text, width)...)
		}
		rows = append(rows, patch.Render(t, part.Diff, width)...)
		for _, line := range part.Lines {
			rows = append(rows, style.IndentAll(Command(t, line, width-2), "  ")...)
		}
	}
	return rows
}

// planRows lay out a plan: as Markdown, and as it was written where Markdown would leave
// something of it out.
func planRows(t *style.Theme, plan string, width int) []string {
	plan = style.Reveal(plan).Text
	rows := markdown.New(t).Render(plan, width)
	if !sameLetters(plan, strings.Join(rows, "\n")) {
		return style.WrapText(plan, width)
	}
	var fitting []string
	for _, row := range rows {
		fitting = append(fitting, style.HardWrap(row, width)...)
	}
	return fitting
}

// languageLetters is the longest word that may name the language of a block of code, which
// is not shown.
const languageLetters = 12

// sameLetters reports whether a layout has every letter of a text in Markdown.
func sameLetters(plan, laid string) bool {
	var written strings.Builder
	for line := range strings.Lines(plan) {
		bare := strings.TrimSpace(line)
		if language, fence := strings.CutPrefix(bare, "```"); fence && len(language) <= languageLetters && !strings.ContainsAny(language, " \t") {
			continue
		}
		written.WriteString(line)
	}
	return letters(written.String()) == letters(style.Clean(laid))
}

// letters are those of a text, without what Markdown and a layout put between them.
func letters(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return r
		}
		return -1
	}, text)
}

package question

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode"

	"agent/internal/chat"
	"agent/internal/command"
	"agent/internal/tui/markdown"
	"agent/internal/tui/patch"
	"agent/internal/tui/style"
)

// OpenQuestion is an open question: a call of the model, or the question of a command that the user has typed.
type OpenQuestion struct {
	chat.Approval
	// Own is the question of a command, or nil for a call of the model.
	Own *command.Question
	// Step is the index of the model's inquiry that is being answered, from 0.
	Step int
}

// AddCommandQuestion adds the question of a command that the user has just typed.
func (q *Questions) AddCommandQuestion(ask *command.Question, now time.Time) {
	q.owns++
	q.waiting = append(q.waiting, OpenQuestion{Approval: chat.Approval{ID: -q.owns}, Own: ask})
	if len(q.waiting) == 1 {
		q.show(now)
	}
}

// ownWords is the key of the choice to answer in other words.
const ownWords = "own"

// A choice is a key that answers, and the text about its effect: does, or short if there is little room.
type choice struct{ key, does, short string }

// stops is the last choice for every call of the model.
var stops = choice{"esc", "no, and stop", "stops"}

// choices returns the possible answers to the first question.
func (q *Questions) choices() []choice {
	asked, always, kept := q.First(), "", ""
	if q.body.hidden == 0 && !q.body.cramped {
		always, kept = oneLine(asked.Always).Text, oneLine(asked.ForGood).Text
	}
	out := []choice{{"y", "yes", "yes"}}
	switch {
	case q.inquiry() != nil:
		return q.options()
	case asked.Own != nil:
		does, no, never := oneLine(asked.Own.YesEffect).Text, oneLine(asked.Own.NoEffect).Text, oneLine(asked.Own.NeverEffect).Text
		out = []choice{{"y", does, does}, {"n", cmp.Or(no, "no, leave it unchanged") + " (Esc too)", cmp.Or(no, "no")}}
		if never != "" {
			out = append(out, choice{"d", never, never})
		}
		return out
	case asked.Repeats != "":
		return []choice{{"y", "yes, continue", "continue"}, {"n", "no, and say how to continue", "instead"}, stops}
	case asked.Preview.Plan != "":
		out[0].does = "yes, and ask me before changes (mode ask)"
		if always != "" {
			out = append(out, choice{"a", "yes, and " + always, "yes, and edit"})
		}
		return append(out, choice{"n", "not yet: type the changes you want", "not yet"}, stops)
	case always != "":
		out = append(out, choice{"a", "yes, for this session: " + always, "session: " + always})
		if kept != "" {
			out = append(out, choice{forGood, "yes, permanently in this project: " + kept + oftenNote(asked), "project: " + kept})
		}
	}
	if sandbox := oneLine(asked.Sandbox).Text; sandbox != "" && q.body.hidden == 0 && !q.body.cramped {
		out = append(out, choice{inSandbox, "yes, and " + sandbox, "sandbox: don't ask"})
	}
	return append(out, choice{"n", "no, and say why", "no"}, stops)
}

// inSandbox is the key that switches to the mode in which commands run in the sandbox without approval.
const inSandbox = "s"

// forGood is the key that allows permanently. It is the only capital letter among the keys, so that users
// do not press it by mistake.
const forGood = "A"

// oftenNote returns a note, to be appended to the choice, about how often the user approved calls that the
// rule would have covered. It returns "" if there is no note.
func oftenNote(asked OpenQuestion) string {
	if asked.Often == "" {
		return ""
	}
	return " · " + oneLine(asked.Often).Text
}

// editFirst is the key that edits the draft of a question before the user answers yes.
const editFirst = "e"

// options returns the choices of an inquiry: its options, editing its draft or answering in the user's own
// words, and declining to answer.
func (q *Questions) options() (all []choice) {
	for n, o := range q.inquiry().Options {
		mark := ""
		if q.inquiry().Several {
			mark = "[ ] "
			if slices.Contains(q.marked, n) {
				mark = "[x] "
			}
		}
		all = append(all, choice{optionKey(q.inquiry(), n), mark + optionText(o), mark + oneLine(o.Label).Text})
	}
	own := choice{ownWords, "type another answer", "words: type"}
	if q.inquiry().Draft != "" {
		own = choice{editFirst, "edit it first", "edit"}
	}
	return append(all, own,
		choice{"esc", "no answer, and stop", "stops"})
}

// letterOf returns the key of the choice for a typed letter. A capital letter means the lower-case letter,
// unless the capital letter is itself a choice.
func (q *Questions) letterOf(typed string) string {
	if typed == forGood && q.IsOpen() && q.isChoice(typed) {
		return typed
	}
	return strings.ToLower(typed)
}

func (q *Questions) isChoice(letter string) bool {
	return letter == "v" || slices.ContainsFunc(q.choices(), func(c choice) bool { return c.key == letter })
}

func ownRows(t *style.Theme, ask *command.Question, width int) []string {
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

// planRows lays out a plan as Markdown. If that layout would drop a part of the plan, planRows shows the
// plan as it was written.
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

// languageLetters limits the length, in bytes, of a word after a code fence that counts as the name of a
// language. The layout does not show such a name.
const languageLetters = 12

// sameLetters reports whether the layout contains every letter of a text in Markdown.
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

// letters returns only the letters of a text, so that a text in Markdown and its layout can be compared.
func letters(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return r
		}
		return -1
	}, text)
}

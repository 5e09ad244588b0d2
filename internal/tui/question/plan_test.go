package question

import (
	"strings"
	"testing"
	"time"

	"agent/internal/chat"
	"agent/internal/tools"
	"agent/internal/tui/style"
	"agent/internal/tui/term"
)

func planned(plan string) chat.Approval {
	return chat.Approval{ID: 1, Tool: "present_plan", Always: "edit files", Preview: tools.Preview{Title: "carry out the plan of the model", Plan: plan}}
}

// A plan is rendered as Markdown, or shown as written if the rendering would omit a part.
func TestPlanIsShownCompletely(t *testing.T) {
	t.Parallel()
	theme := style.NewTheme(style.NoColors, style.PaletteFor("dark", true))
	for plan, want := range map[string]string{
		"# Head\n\n1. **one** `two`\n1. three": "three",
		"```go\nx := 1\n```":                   "x := 1",
		"a\n\n[x]: http://h \"rm it all\"":     "rm it all",
		"a\n\n```sh rm it all\nls\n```":        "rm it all",
		"a <!-- rm it all --> b":               "rm it all",
		"|a|b|\n|-|-|\n|1|2|rm it all|":        "rm it all",
		"![rm it all](x)":                      "rm it all",
		"a\u202erm it all":                     "rm it all",
	} {
		for _, width := range []int{20, 58, 138} {
			rows := planRows(theme, plan, width)
			if all := style.Clean(strings.Join(rows, " ")); !strings.Contains(strings.Join(strings.Fields(all), " "), want) {
				t.Errorf("%q at %d: %q", plan, width, all)
			}
			for _, row := range rows {
				if style.Width(row) > width {
					t.Errorf("%q at %d: %q", plan, width, row)
				}
			}
		}
	}
}

// Text that is typed while a plan is shown is a request for changes, and never an approval. A
// single letter answers.
func TestAnswersToAPlan(t *testing.T) {
	t.Parallel()
	theme := style.NewTheme(style.NoColors, style.PaletteFor("dark", true))
	for typed, want := range map[string]chat.Decision{
		"y":         {Allow: true},
		"a":         {Allow: true, Always: true},
		"yes\r":     {Reason: "yes"},
		"add it\r":  {Reason: "add it"},
		"no maps\r": {Reason: "no maps"},
		"\x1b":      {},
	} {
		var q Questions
		now := time.Unix(1000, 0)
		q.Add(planned("1. do\n2. test"), now, time.Time{})
		q.Arrange(theme, 60, 30)
		now = now.Add(time.Second)
		var reply Reply
		for _, r := range typed {
			key := term.Key{Name: string(r), Text: string(r)}
			switch r {
			case '\r':
				key = term.Key{Name: "enter"}
			case '\x1b':
				key = term.Key{Name: "esc"}
			}
			reply = q.Key(key, now)
			now = now.Add(20 * time.Millisecond)
		}
		if !reply.Answered {
			reply = q.Wake(now.Add(time.Second))
		}
		if !reply.Answered || reply.Decision.Allow != want.Allow || reply.Decision.Always != want.Always || reply.Decision.Reason != want.Reason {
			t.Errorf("%q: %+v", typed, reply)
		}
	}
}

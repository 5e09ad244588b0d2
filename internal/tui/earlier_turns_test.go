package tui

import (
	"slices"
	"strings"
	"testing"
	"time"

	"agent/internal/base/humanize"
	"agent/internal/chat"
	"agent/internal/tools"
	"agent/internal/toolspec"
	"agent/internal/tui/style"
)

// A resumed session prints earlier turns in a short form: the messages, and one line for the calls.
func TestEarlierIsFolded(t *testing.T) {
	t.Parallel()
	m := newModel(t.Context(), Options{Now: time.Now, Status: chat.Status{Model: "demo"}, Earlier: EarlierConversation{
		Unfinished: true,
		Exchanges: append(slices.Repeat([]EarlierTurn{{Said: "long ago", Reply: "a **reply**"}}, earlierShown+12), []EarlierTurn{
			{Said: "fix the test", Calls: []Call{
				{Label: labelOf("read_file a.go")},
				{Label: labelOf("read_line_range a.go")},
				{Label: labelOf("read_file b.go")},
				{Label: labelOf("replace a.go")},
				{Label: labelOf("replace a.go")},
				{Label: labelOf("run_shell_command go test ./...\n# and more"), Failed: true},
				{Label: labelOf("odd")},
				{Label: labelOf("replace c.go"), Undone: true},
				{Label: toolspec.Label{Verbs: toolspec.Verbs{Done: "remembered", Do: "remember", Declined: "not kept"}, Subject: "it is slow"}, Declined: true},
			}, Reply: "It is **fixed**."},
			{Said: "thanks"},
		}...),
	}}, 80, 24)
	got := strings.Join(m.frame().Printed, "\n")
	want := []string{"· 14 earlier turns", "> fix the test", "✓ read a.go, b.go ×3 · edited a.go ×2 · odd", "· undone: edited c.go", "✗ run go test ./... # and more", "· not kept: it is slow", "It is fixed.", "> thanks", "! the model did not finish"}
	for _, text := range want {
		at := strings.Index(got, text)
		if at < 0 {
			t.Fatalf("%q is missing or too early in what is left:\n%s", text, got)
		}
		got = got[at:]
	}
}

// If there are many calls of a kind, only some are named.
func TestManyCallsAreFolded(t *testing.T) {
	t.Parallel()
	var calls []Call
	for _, file := range []string{"a", "b", "c", "d", "e", "f"} {
		calls = append(calls, Call{Label: labelOf("read_file " + file + ".go")})
	}
	if got, want := summarizeCalls(calls, toolspec.Label.PastTense), "read a.go, b.go, c.go, d.go and 2 more"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	named := toolspec.Label{Verbs: toolspec.Verbs{Done: "asked:", About: "{title}"}, Subject: "count", Key: "all that it is told"}
	if got := summarizeCalls([]Call{{Label: named}}, toolspec.Label.PastTense); got != "asked: count" {
		t.Errorf("%q", got)
	}
}

// A long message is printed in part. A longer part of the last reply is printed.
func TestEarlierIsBounded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a word\n\n", 500)
	m := newModel(t.Context(), Options{Now: time.Now, Earlier: EarlierConversation{Exchanges: []EarlierTurn{{Said: "one", Reply: long}, {Said: "two", Reply: long}}}}, 80, 24)
	printed := m.frame().Printed
	if n := len(printed); n < earlierRows+lastRows || n > earlierRows+lastRows+20 {
		t.Errorf("%d rows are printed", n)
	}
	if all := strings.Join(printed, "\n"); strings.Count(all, "more lines: Ctrl+O") != 2 {
		t.Errorf("it is not said that there is more:\n%s", all)
	}
}

// Ctrl+O shows the earlier messages after the outputs of this session.
func TestEarlierIsOpened(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 80, 24)
	s.model.activity.showEarlier(EarlierConversation{Exchanges: []EarlierTurn{{Said: "first", Reply: "one"}, {Said: "second", Calls: []Call{{Label: labelOf("replace")}}, Reply: "**two**"}}})
	s.events(chat.ToolEnded{Name: "run_shell_command", Label: labelOf("run_shell_command ls"), Answer: tools.Answer{Text: "a.go"}})
	for _, want := range []string{"a.go", "> second", "> first"} {
		key := "right"
		if want == "a.go" {
			key = "ctrl+o"
		}
		s.press(key)
		if page := strings.Join(s.model.frame().Full, "\n"); !strings.Contains(page, want) {
			t.Errorf("%q is not on the page:\n%s", want, page)
		}
	}
}

// A resumed session shows hidden characters in its earlier calls, like the live session.
func TestEarlierCallsAreRevealedAsLiveOnes(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"touch X #\recho harmless", "a\x1b[2Jb", "a\u202eb", "a\u200bb", "a\u00a0b", "first\nsecond", "a\U00016fe4b"} {
		call := labelOf("run_shell_command " + command)
		s := newScreenplay(t, 80, 24)
		s.events(chat.ToolEnded{Name: "run_shell_command", Label: call, Answer: tools.Answer{Text: "ok"}})
		live := strings.Join(s.texts(), " ")
		shown := humanize.Line(style.Reveal(command).Text, foldedAbout)
		again := newScreenplayFor(t, 80, 24, func(o *Options) {
			o.Earlier = EarlierConversation{Exchanges: []EarlierTurn{{Said: "go", Calls: []Call{{Label: call}}}}}
		})
		again.events()
		resumed := strings.Join(again.texts(), "\n")
		if !strings.Contains(resumed, shown) {
			t.Errorf("%q: live %q, taken up again %q", command, live, resumed)
		}
	}
}

package cacheaware

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/history"
	"agent/internal/toolspec"
)

type byLetter struct{}

func (byLetter) Count(text string) int { return len(text) }
func (byLetter) Vocabulary() string    { return "letters" }

// callCounter counts the calls of Count for a text.
type callCounter struct {
	byLetter
	text  string
	heard int
}

func (l *callCounter) Count(text string) int {
	if text == l.text {
		l.heard++
	}
	return l.byLetter.Count(text)
}

// After a resume, sizes that the record contains are not counted again, and the decisions are the
// same.
func TestRecordedCountsAreTakenOver(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("some text\n", 100)
	said := func() []*history.Content {
		return []*history.Content{
			history.HumanText(long),
			history.New(history.AI, &history.Text{Text: long}, &history.ToolCall{ID: "1", Name: "look", Parameters: []byte(`{"path":"a.go"}`)}),
			history.New(history.Tool, &history.ToolResponse{CallID: "1", ToolName: "look", Result: history.TextResult(long), Error: "cut"}),
		}
	}
	parts := func(entries []*history.Content) ([]RecordedUnit, int) {
		counter := &callCounter{text: long}
		e := New(Options{
			Tools: func(string) toolspec.Traits { return toolspec.Traits{} }, Root: "/w",
			Counter: func() history.Counter { return counter },
		})
		for _, entry := range entries {
			e.Add(entry)
		}
		return e.RecordedUnits(), counter.heard
	}
	fresh, counted := parts(said())
	if counted == 0 {
		t.Fatal("nothing was counted")
	}
	recorded := said()
	h := history.NewService(byLetter{}, func(m history.Mutation) error {
		m.Entry.SetTokens(m.Tokens)
		return nil
	})
	for _, entry := range recorded {
		if err := h.Add(entry); err != nil {
			t.Fatal(err)
		}
	}
	again, counted := parts(recorded)
	if diff := cmp.Diff(fresh, again); diff != "" || counted > 0 {
		t.Errorf("counted %d times (-counted +recorded):\n%s", counted, diff)
	}
}

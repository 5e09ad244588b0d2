package session

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/history"
)

func recalled(t *testing.T, path string, place history.Recorded) string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	blocks, err := Recall(f, place)
	if err != nil {
		t.Fatalf("%+v: %v", place, err)
	}
	return toJSON(t, history.New(history.Human, blocks...).Blocks)
}

// What density took out of the context is still in the log: every prune knows where,
// at once and after the session was taken up again, and what else its entries hold
// stays apart.
func TestPrunedContentCanBeRecalled(t *testing.T) {
	t.Parallel()
	o := options(t)
	l := create(t, o)
	h := live(l.Observe)
	call := func(id string) *history.ToolCall { return &history.ToolCall{ID: id, Name: "read_file"} }
	response := func(id, text string) *history.ToolResponse {
		return &history.ToolResponse{CallID: id, ToolName: "read_file", Result: history.TextResult(text)}
	}
	must(t, h.Add(history.HumanText("look")))
	must(t, h.Add(history.New(history.AI, call("1"), call("2"))))
	must(t, h.Add(history.New(history.Tool, response("1", "one"), response("2", "two"))))
	raw := h.RawHistory()
	prunes := []history.Prune{
		{Kind: "stale-read", Entry: 1, Gone: []history.Block{raw[1].Blocks[0], raw[2].Blocks[0]}},
		{Kind: "duplicate-file", Entry: 0, Gone: []history.Block{&history.Text{Text: "part of the text"}}},
	}
	must(t, h.ApplyDensityResult(history.DensityResult{
		Replacements: map[int]*history.Content{1: raw[1].WithBlocks(raw[1].Blocks[1:]), 2: raw[2].WithBlocks(raw[2].Blocks[1:])}, Prunes: prunes,
	}))
	closeLog(t, l)
	want := [][]history.Recorded{{{Entry: "3", CallID: "1"}, {Entry: "4", CallID: "1"}}, {{Entry: "2"}}}
	state := replayFile(t, l.Path())
	for i, places := range want {
		if diff := cmp.Diff(places, prunes[i].Recorded); diff != "" {
			t.Errorf("prune %d (-want +got):\n%s", i, diff)
		}
		if diff := cmp.Diff(places, state.Prunes[i].Recorded); diff != "" {
			t.Errorf("prune %d after resuming (-want +got):\n%s", i, diff)
		}
	}
	if got := recalled(t, l.Path(), want[0][1]); !strings.Contains(got, "one") || strings.Contains(got, "two") {
		t.Errorf("recalled %s", got)
	}
	if got := recalled(t, l.Path(), want[1][0]); !strings.Contains(got, "look") {
		t.Errorf("recalled %s", got)
	}
	for _, place := range []history.Recorded{{Entry: "99"}, {Entry: "1"}, {Entry: "x"}, {Entry: "3.1"}} {
		if blocks, err := Recall(strings.NewReader(lines(opening, entryA)), place); err == nil {
			t.Errorf("%+v was found: %v", place, blocks)
		}
	}
}

// A compression says of what it wrote which entries that stands for, and which left
// without a word, so that nothing is without a way back.
func TestCompressionKnowsItsOrigins(t *testing.T) {
	t.Parallel()
	o := options(t)
	l := create(t, o)
	h := live(l.Observe)
	for _, text := range []string{"a", "b", "c"} {
		must(t, h.Add(history.HumanText(text)))
	}
	must(t, h.Add(history.New(history.AI, &history.ToolCall{ID: "1", Name: "ls"})))
	long := &history.ToolResponse{CallID: "1", ToolName: "ls", Result: history.TextResult("long")}
	must(t, h.Add(history.New(history.Tool, long)))
	must(t, h.Add(history.HumanText("last")))
	raw := h.RawHistory()
	must(t, h.Rebuild("summary", func([]*history.Content, []int) ([]*history.Content, error) {
		return []*history.Content{raw[0], history.HumanText("2 dropped"), raw[3], raw[4].WithBlocks([]history.Block{long.WithResult("short")})}, nil
	}))
	must(t, h.Rebuild("drop", func(entries []*history.Content, _ []int) ([]*history.Content, error) { return entries[2:], nil }))
	closeLog(t, l)
	data, err := os.ReadFile(l.Path())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"2 dropped"}]},"from":["3","4","7"]}`, `"short"}]},"from":["6"]}`, `"dropped":["2","8.2"]`} {
		if !strings.Contains(string(data), want) {
			t.Errorf("%s is not in\n%s", want, data)
		}
	}
	if got := recalled(t, l.Path(), history.Recorded{Entry: "8.4", CallID: "1"}); !strings.Contains(got, "short") {
		t.Errorf("recalled %s", got)
	}
}

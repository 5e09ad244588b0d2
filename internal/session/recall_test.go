package session

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/history"
)

// recall returns the content at positions in the text of a log.
func recall(t *testing.T, log string, places ...history.RecordRef) (history.RecalledContent, error) {
	t.Helper()
	p, err := read(openText(strings.NewReader(log)))
	if err != nil {
		t.Fatal(err)
	}
	return p.recall(places)
}

func later(t *testing.T, found history.RecalledContent) (entries []*history.Content) {
	t.Helper()
	for entry, err := range found.Later {
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, entry)
	}
	return entries
}

func recalled(t *testing.T, path string, place history.RecordRef) string {
	t.Helper()
	log, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	found, err := recall(t, string(log), place)
	if err != nil {
		t.Fatalf("%+v: %v", place, err)
	}
	return toJSON(t, history.New(history.Human, found.Blocks...).Blocks)
}

// Content that density pruned is still in the log. Every prune has its position, also after the
// session was resumed. Other content of its entries is not included.
func TestPrunedContentCanBeRecalled(t *testing.T) {
	t.Parallel()
	o := options(t)
	l := create(t, o)
	h := newHistory(l.Observe)
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
	want := [][]history.RecordRef{{{Entry: "3", CallID: "1"}, {Entry: "4", CallID: "1"}}, {{Entry: "2"}}}
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
	for _, place := range []history.RecordRef{{Entry: "99"}, {Entry: "1"}, {Entry: "x"}, {Entry: "3.1"}} {
		if found, err := recall(t, lines(opening, entryA), place); err == nil {
			t.Errorf("%+v was found: %v", place, found)
		}
	}
}

// A compression records which entries each new entry replaces, and which entries were dropped.
// Every removed entry can therefore be recalled.
func TestCompressionRecordsItsOrigins(t *testing.T) {
	t.Parallel()
	o := options(t)
	l := create(t, o)
	h := newHistory(l.Observe)
	for _, text := range []string{"a", "b", "c"} {
		must(t, h.Add(history.HumanText(text)))
	}
	must(t, h.Add(history.New(history.AI, &history.ToolCall{ID: "1", Name: "ls"})))
	long := &history.ToolResponse{CallID: "1", ToolName: "ls", Result: history.TextResult("long")}
	must(t, h.Add(history.New(history.Tool, long)))
	must(t, h.Add(history.HumanText("last")))
	raw := h.RawHistory()
	must(t, h.Rebuild("summary", func([]*history.Content, []int) (history.RebuiltHistory, error) {
		return history.RebuiltHistory{Entries: []*history.Content{raw[0], history.HumanText("2 dropped"), raw[3], raw[4].WithBlocks([]history.Block{long.WithResult("short")})}}, nil
	}))
	must(t, h.Rebuild("drop", func(entries []*history.Content, _ []int) (history.RebuiltHistory, error) {
		return history.RebuiltHistory{Entries: entries[2:]}, nil
	}))
	closeLog(t, l)
	data, err := os.ReadFile(l.Path())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"2 dropped"}]},"from":["3","4","7"]}`, `"short"}]},"of":"6"}`, `"dropped":["2","8.2"]`} {
		if !strings.Contains(string(data), want) {
			t.Errorf("%s is not in\n%s", want, data)
		}
	}
	if got := recalled(t, l.Path(), history.RecordRef{Entry: "8.4", CallID: "1"}); !strings.Contains(got, "short") {
		t.Errorf("recalled %s", got)
	}

	l, state, err := Resume(l.Path(), o)
	must(t, err)
	h = newHistory(l.Observe)
	must(t, h.Restore(state.Entries))
	must(t, h.Rebuild("summary", func(entries []*history.Content, _ []int) (history.RebuiltHistory, error) {
		return history.RebuiltHistory{Entries: []*history.Content{entries[0], entries[1].WithBlocks([]history.Block{long.WithResult("shorter")})}}, nil
	}))
	closeLog(t, l)
	data, err = os.ReadFile(l.Path())
	must(t, err)
	if want := `"shorter"}]},"of":"8.4"}`; !strings.Contains(string(data), want) {
		t.Errorf("%s is not in\n%s", want, data)
	}
}

// Content that a compression removed is recalled as it was first recorded, even if its entry was
// rewritten several times. The recall includes its age and the later changes.
func TestCompressedContentCanBeRecalled(t *testing.T) {
	t.Parallel()
	o := options(t)
	l := create(t, o)
	h := newHistory(l.Observe)
	response := func(id, text string) *history.ToolResponse {
		return &history.ToolResponse{CallID: id, ToolName: "ls", Result: history.TextResult(text)}
	}
	must(t, h.Add(history.HumanText("look")))
	must(t, h.Add(history.New(history.AI, &history.ToolCall{ID: "1", Name: "ls"}, &history.ToolCall{ID: "2", Name: "ls"})))
	must(t, h.Add(history.New(history.Tool, response("1", "long one"), response("2", "long two"))))
	must(t, h.Add(history.HumanText("and then")))
	raw := h.RawHistory()
	shorter := raw[2].WithBlocks([]history.Block{raw[2].Blocks[0].(*history.ToolResponse).WithResult("1"), raw[2].Blocks[1]})
	first := []history.Prune{{Kind: "summarised", Entry: 2, Gone: raw[2].Blocks[:1], Left: shorter.Blocks[:1]}}
	must(t, h.Rebuild("high-density", func([]*history.Content, []int) (history.RebuiltHistory, error) {
		return history.RebuiltHistory{Entries: []*history.Content{raw[0], raw[1], shorter, raw[3]}, Gone: first}, nil
	}))
	second := []history.Prune{{Kind: "dropped", Entry: 1, Gone: []history.Block{raw[1].Blocks[1], raw[2].Blocks[1]}}}
	must(t, h.Rebuild("high-density", func([]*history.Content, []int) (history.RebuiltHistory, error) {
		return history.RebuiltHistory{Entries: []*history.Content{raw[0], raw[3]}, Gone: second}, nil
	}))
	closeLog(t, l)
	if first[0].Tokens == 0 || second[0].Tokens == 0 || first[0].Tool != "ls" {
		t.Errorf("%+v %+v", first, second)
	}
	want := [][]history.RecordRef{{{Entry: "4", CallID: "1"}}, {{Entry: "3", CallID: "2"}, {Entry: "4", CallID: "2"}}}
	state := replayFile(t, l.Path())
	for i, prunes := range [][]history.Prune{first, second} {
		if diff := cmp.Diff(want[i], prunes[0].Recorded); diff != "" {
			t.Errorf("live (-want +got):\n%s", diff)
		}
		if got := state.Prunes[i]; cmp.Diff(want[i], got.Recorded) != "" || got.Tokens != prunes[0].Tokens || got.Tool != "ls" || got.Turn != 2 {
			t.Errorf("after resuming: %+v", got)
		}
	}
	found, err := l.Recall(want[1])
	if err != nil || len(found.Blocks) != 2 || found.Turn != 1 || found.At.IsZero() || textsOf(later(t, found)) != " and then" {
		t.Errorf("%+v, %v", found, err)
	}
	if got := toJSON(t, history.New(history.Tool, found.Blocks...)); !strings.Contains(got, "long two") || strings.Contains(got, "one") {
		t.Errorf("recalled %s", got)
	}
}

// Content that was pruned before the conversation was cleared is not listed afterwards, in the live
// session or a resumed one.
func TestClearDropsPrunes(t *testing.T) {
	t.Parallel()
	o := options(t)
	l := create(t, o)
	h := newHistory(l.Observe)
	must(t, h.Add(history.HumanText("a")))
	must(t, h.Add(history.HumanText("b")))
	must(t, h.ApplyDensityResult(history.DensityResult{Removals: []int{0}, Prunes: []history.Prune{{Gone: h.RawHistory()[0].Blocks}}}))
	must(t, h.Clear())
	closeLog(t, l)
	if state := replayFile(t, l.Path()); len(state.Prunes) > 0 {
		t.Errorf("%+v", state.Prunes)
	}
}

// Pins are recorded, and a rewind restores the pins of that time.
func TestPinsAreRecorded(t *testing.T) {
	t.Parallel()
	l := create(t, options(t))
	h := newHistory(l.Observe)
	must(t, h.Add(history.HumanText("a")))
	must(t, h.Pin("/w/a.go", true))
	must(t, h.Add(history.HumanText("b")))
	must(t, h.Pin("/w/a.go", false))
	pins := func(state State) (told string) {
		for _, step := range stepsOf(t, state) {
			if step.Kind == history.MutationPinned {
				told += fmt.Sprint(step.Path, step.Pinned, " ")
			}
		}
		return told
	}
	if got := pins(before(t, l, 4)); got != "/w/a.gotrue " {
		t.Errorf("before: %q", got)
	}
	closeLog(t, l)
	if got := pins(replayFile(t, l.Path())); got != "/w/a.gotrue /w/a.gofalse " {
		t.Errorf("%q", got)
	}
}

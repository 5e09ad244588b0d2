package history

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestRepair(t *testing.T) {
	t.Parallel()
	call, response := pairCall, pairResponse
	words := &Text{Text: "words"}
	cut := func(id string) *Content { return New(Tool, &ToolResponse{CallID: id, ToolName: "n", Error: "cut"}) }
	for _, c := range []struct {
		id         string
		give, want []*Content
	}{
		{"a call at the end", []*Content{New(AI, call("a"))}, []*Content{New(AI, call("a")), cut("a")}},
		{"one of two answered", []*Content{New(AI, call("a"), call("b")), New(Tool, response("b")), New(Human, words)}, []*Content{New(AI, call("a"), call("b")), New(Tool, response("b")), cut("a"), New(Human, words)}},
		{"answered too late", []*Content{New(AI, call("a")), New(Human, words), New(Tool, words, response("a"))}, []*Content{New(AI, call("a")), cut("a"), New(Human, words), New(Tool, words)}},
		{"answered twice", []*Content{New(AI, call("a")), New(Tool, response("a"), response("a")), New(Tool, response("a"))}, []*Content{New(AI, call("a")), New(Tool, response("a"))}},
		{"starts with a response", []*Content{New(Tool, response("a")), New(Human, words)}, []*Content{New(Human, words)}},
		{"empty entries", []*Content{New(Human), New(Human, words), New(AI, &Thinking{}), nil}, []*Content{New(Human, words)}},
		{"an empty entry between call and response", []*Content{New(AI, call("a")), New(AI), New(Tool, response("a"))}, []*Content{New(AI, call("a")), New(Tool, response("a"))}},
		{"a call of a human", []*Content{New(Human, words, call("a")), New(Tool, response("a"))}, []*Content{New(Human, words)}},
		{"a call of a tool", []*Content{New(AI, call("a")), New(Tool, response("a"), call("b"))}, []*Content{New(AI, call("a")), New(Tool, response("a"))}},
		{"a response of the model", []*Content{New(AI, call("a")), New(AI, response("a"))}, []*Content{New(AI, call("a")), cut("a")}},
		{"an id used again, unanswered", []*Content{New(AI, call("a")), New(AI, call("a")), New(Tool, response("a"))}, []*Content{New(AI, call("a")), cut("a"), New(AI, call("a")), New(Tool, response("a"))}},
		{"an id twice in an entry", []*Content{New(AI, call("a"), call("a"))}, []*Content{New(AI, call("a"), call("a#2")), cut("a"), cut("a#2")}},
		{"an id twice in an entry, one response", []*Content{New(AI, call("a"), call("a")), New(Tool, response("a"))}, []*Content{New(AI, call("a"), call("a#2")), New(Tool, response("a")), cut("a#2")}},
		{"an id thrice in an entry, answered", []*Content{New(AI, call("a"), call("a"), call("a#2")), New(Tool, response("a"), response("a#2"), response("a"))}, []*Content{New(AI, call("a"), call("a#2"), call("a#2#2")), New(Tool, response("a"), response("a#2#2"), response("a#2"))}},
	} {
		t.Run(c.id, func(t *testing.T) {
			t.Parallel()
			got := Repair(c.give, "cut")
			if show(t, got) != show(t, c.want) {
				t.Errorf("got\n%swant\n%s", show(t, got), show(t, c.want))
			}
		})
	}
}

// If the answer to an unanswered call is known, RepairWith adds it as a result instead of an error.
func TestRepairWithAnswers(t *testing.T) {
	t.Parallel()
	got := RepairWith([]*Content{New(AI, pairCall("a"), pairCall("b"))}, map[string]string{"b": "known"}, "cut")
	want := []*Content{
		New(AI, pairCall("a"), pairCall("b")), New(Tool, &ToolResponse{CallID: "a", ToolName: "n", Error: "cut"}),
		New(Tool, &ToolResponse{CallID: "b", ToolName: "n", Result: TextResult("known")}),
	}
	if show(t, got) != show(t, want) {
		t.Errorf("got\n%swant\n%s", show(t, got), show(t, want))
	}
}

// show formats entries, one per line.
func show(t *testing.T, entries []*Content) string {
	t.Helper()
	lines := ""
	for _, c := range entries {
		data, err := c.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		lines += string(data) + "\n"
	}
	return lines
}

// D-32: a repaired history is always valid, whatever was recorded. Valid parts stay: the texts in
// their order, and valid histories as a whole.
func TestRepairAlwaysGivesAValidHistory(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		entries := rapid.SliceOfN(rapid.OneOf(anyEntry(), rapid.Just((*Content)(nil))), 0, 12).Draw(t, "entries")
		before := slices.Clone(entries)
		repaired := Repair(entries, "cut")
		if err := Validate(repaired); err != nil {
			t.Fatal(err)
		}
		if again := Repair(repaired, "cut"); !slices.Equal(again, repaired) {
			t.Fatal("a valid history was changed")
		}
		if !slices.Equal(entries, before) {
			t.Fatal("the input was changed")
		}
		if want, got := words(entries), words(repaired); !slices.Equal(want, got) {
			t.Fatalf("words were lost: %q, then %q", want, got)
		}
	})
}

// Validate, PairCalls and the rules for requests agree. In a valid history every call has exactly
// one response, and every response has a call.
func TestValidHistoriesArePaired(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		entries := rapid.SliceOfN(anyEntry(), 0, 12).Draw(t, "entries")
		if rapid.Bool().Draw(t, "repaired") {
			entries = Repair(entries, "cut")
		}
		if Validate(entries) != nil {
			return
		}
		pairing := PairCalls(entries)
		if len(pairing.Orphans) > 0 {
			t.Fatalf("responses without a call: %v", pairing.Orphans)
		}
		for _, pair := range pairing.Pairs {
			if len(pair.Responses) != 1 {
				t.Fatalf("the call at %v has %d responses", pair.At, len(pair.Responses))
			}
		}
	})
}

// words returns the texts of all entries except tool results.
func words(entries []*Content) []string {
	var said []string
	for _, c := range entries {
		if c == nil || c.Speaker == Tool {
			continue
		}
		var texts []Block
		for _, b := range c.Blocks {
			if _, ok := b.(*Text); ok {
				texts = append(texts, b)
			}
		}
		if c := New(c.Speaker, texts...); !c.Empty() {
			said = append(said, c.Text())
		}
	}
	return said
}

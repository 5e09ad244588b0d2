package judge

import (
	"encoding/json"
	"fmt"
	"testing"

	"agent/internal/compression"
	"agent/internal/history"
	"agent/internal/toolspec"
)

// byLetter counts a token for each byte.
type byLetter struct{}

func (byLetter) Count(text string) int { return len(text) }

// options returns engine options with this counter.
func options() compression.EngineOptions {
	return compression.EngineOptions{
		Tools: func(name string) toolspec.Traits {
			return map[string]toolspec.Traits{
				"read":  {Reads: true, File: []string{"path"}},
				"edit":  {Edits: true, File: []string{"path"}, Density: toolspec.Density{Old: []string{"old"}, New: []string{"new"}}},
				"patch": {Edits: true, Density: toolspec.Density{Patch: []string{"patch"}}},
			}[name]
		},
		Root: "/w", Counter: func() history.Counter { return byLetter{} },
	}
}

// conversationOf returns a conversation with calls, each with a tool, its parameters and its answer.
func conversationOf(calls ...[3]string) []*history.Content {
	entries := []*history.Content{history.HumanText("change commonName")}
	for i, c := range calls {
		id := fmt.Sprint(i)
		response := &history.ToolResponse{CallID: id, ToolName: c[0], Result: history.TextResult(c[2])}
		if c[2] == "failed" {
			response.Error = c[2]
		}
		entries = append(entries,
			history.New(history.AI, &history.ToolCall{ID: id, Name: c[0], Parameters: json.RawMessage(c[1])}),
			history.New(history.Tool, response))
	}
	return entries
}

// For each quote of an edit, the judge records its source: the shortest answer that contains it,
// otherwise the text of the model. Failed edits count as failed, and an edit without a source does
// not count as blind.
func TestQuotes(t *testing.T) {
	t.Parallel()
	r := New(conversationOf(
		[3]string{"read", `{"path":"a"}`, "one\ntwo\nthree, and a lot more"},
		[3]string{"read", `{"path":"a"}`, "  1|one\n  2|two"},
		[3]string{"edit", `{"path":"a","old":"one\ntwo","new":"four"}`, "done"},
		[3]string{"edit", `{"path":"a","old":"four","new":"five"}`, "failed"},
		[3]string{"patch", `{"patch":"*** Begin Patch\n*** Update File: a\n@@\n-five\n+six\n*** End Patch"}`, "done"},
		[3]string{"edit", `{"path":"a","old":"unheard of","new":""}`, "done"},
	), options())
	for reply, want := range map[int]Quote{
		2: {EditQuote: compression.EditQuote{Reply: 2, Path: "/w/a", Text: "one\ntwo", Applied: true}, Shown: true, Source: "one\ntwo"},
		3: {EditQuote: compression.EditQuote{Reply: 3, Path: "/w/a", Text: "four"}, Shown: true, Source: "four"},
		4: {EditQuote: compression.EditQuote{Reply: 4, Path: "/w/a", Text: "five", Applied: true}, Shown: true, Source: "five"},
		5: {EditQuote: compression.EditQuote{Reply: 5, Path: "/w/a", Text: "unheard of", Applied: true}},
	} {
		got := r.Replies[reply].Quotes
		if len(got) != 1 || got[0].EditQuote != want.EditQuote || got[0].Shown != want.Shown || got[0].Source != want.Source {
			t.Errorf("reply %d: %+v, want %+v", reply, got, want)
		}
	}
}

// A rare word is lost if no remaining entry contains it. A word that the user wrote, that is in the
// start of a call, or that the reply itself introduces is never lost.
func TestRareWords(t *testing.T) {
	t.Parallel()
	entries := conversationOf(
		[3]string{"read", `{"path":"headName.go"}`, "func rareName() { commonName() }"},
		[3]string{"search", `{"pattern":"x"}`, "rareName and otherName"},
		[3]string{"shell", `{"command":"rareName commonName headName otherName newName"}`, "ok"},
	)
	r := New(entries, options())
	if got := r.Replies[2]; len(got.Rare) != 2 || got.Named != 4 {
		t.Errorf("%d rare words of %d, want 2 of 4", len(got.Rare), got.Named)
	}
	pruned := func(at int) *history.Content {
		b := entries[at].Blocks[0].(*history.ToolResponse)
		return entries[at].WithBlocks([]history.Block{b.WithResult("[pruned]")})
	}
	s := NewVisibleText(r)
	for _, c := range []struct {
		id      string
		visible []*history.Content
		want    int
	}{
		{"all is there", entries[:5], 0},
		{"one of two copies is gone", []*history.Content{entries[0], entries[1], pruned(2), entries[3], entries[4]}, 0},
		{"both are", []*history.Content{entries[0], entries[1], pruned(2), entries[3], pruned(4)}, 2},
		{"entries left", entries[:3], 1},
		{"and came back", entries[:5], 0},
	} {
		if s.SetEntries(c.visible); s.CountLostWords(r.Replies[2]) != c.want {
			t.Errorf("%s: %d words lost, want %d", c.id, s.CountLostWords(r.Replies[2]), c.want)
		}
	}
}

// VisibleText finds text in any kind of block, with or without line numbers.
func TestShows(t *testing.T) {
	t.Parallel()
	response := func(result, failure string) history.Block {
		return &history.ToolResponse{Result: history.TextResult(result), Error: failure}
	}
	for _, c := range []struct {
		id   string
		see  history.Block
		old  string
		want bool
	}{
		{"text", &history.Text{Text: "say old text"}, "old text", true},
		{"inclusion", history.NewInclusion("a", "old\n\ttext"), "old\n\ttext", true},
		{"result", response("x\nold\ntext\n", ""), "old\ntext", true},
		{"error", response("", "nearest: old text"), "old text", true},
		{"other text", response("old  text", ""), "old text", false},
		{"argument", &history.ToolCall{Parameters: []byte(`{"edits":[{"content":"the \"old\"\n text"}]}`)}, "\"old\"\n text", true},
		{"name of an argument", &history.ToolCall{Parameters: []byte(`{"old":1}`)}, "old", false},
		{"malformed arguments", &history.ToolCall{Parameters: []byte(`{"old`)}, "old", false},
		{"thinking is not sent", &history.Thinking{Thought: "old"}, "old", false},
		{"numbered lines", response(" 9|func a() {\n10|\treturn\n11|}\n", ""), "a() {\n\treturn\n}", true},
		{"numbered lines, others between", response("8|a\n9|x\n10|b\n", ""), "a\nb", false},
	} {
		s := NewVisibleText(New(nil, options()))
		if s.SetEntries([]*history.Content{history.HumanText("hi"), history.New(history.Tool, c.see)}); s.Contains(c.old) != c.want {
			t.Errorf("%s: shown %v", c.id, !c.want)
		}
	}
}

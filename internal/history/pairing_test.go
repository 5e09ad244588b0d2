package history

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func pairCall(id string) *ToolCall         { return &ToolCall{ID: id, Name: "n"} }
func pairResponse(id string) *ToolResponse { return &ToolResponse{CallID: id, ToolName: "n"} }

// showPairs formats a pairing: "0.0→1.0,1.1" for a call with two responses, and "?2.0" for an
// orphan.
func showPairs(p Pairing) []string {
	at := func(r Ref) string { return fmt.Sprintf("%d.%d", r.Entry, r.Block) }
	lines := []string{}
	for _, pair := range p.Pairs {
		line := at(pair.At) + "→"
		for i, r := range pair.Responses {
			if i > 0 {
				line += ","
			}
			line += at(r)
		}
		lines = append(lines, line)
	}
	for _, r := range p.Orphans {
		lines = append(lines, "?"+at(r))
	}
	return lines
}

// D-11: PairCalls pairs each response with the latest earlier call of its id.
func TestPairCalls(t *testing.T) {
	t.Parallel()
	call, response := pairCall, pairResponse
	for _, c := range []struct {
		id      string
		entries []*Content
		want    []string
	}{
		{"empty", nil, []string{}},
		{"plain", []*Content{New(AI, call("a")), New(Tool, response("a"))}, []string{"0.0→1.0"}},
		{"unanswered", []*Content{New(AI, call("a"))}, []string{"0.0→"}},
		{"two calls, answered in reverse", []*Content{New(AI, call("a"), call("b")), New(Tool, response("b"), response("a"))}, []string{"0.0→1.1", "0.1→1.0"}},
		{"an entry a response", []*Content{New(AI, call("a"), call("b")), New(Tool, response("a")), New(Tool, response("b"))}, []string{"0.0→1.0", "0.1→2.0"}},
		{"an id used again", []*Content{New(AI, call("a")), New(Tool, response("a")), New(AI, call("a")), New(Tool, response("a"))}, []string{"0.0→1.0", "2.0→3.0"}},
		{"an id used again, the first unanswered", []*Content{New(AI, call("a")), New(AI, call("a")), New(Tool, response("a"))}, []string{"0.0→", "1.0→2.0"}},
		{"an id twice in an entry", []*Content{New(AI, call("a"), call("a")), New(Tool, response("a"), response("a"))}, []string{"0.0→", "0.1→1.0,1.1"}},
		{"orphans", []*Content{New(Tool, response("b"), response("a")), New(AI, call("a")), New(Tool, response("c"))}, []string{"1.0→", "?0.0", "?0.1", "?2.0"}},
		{"a missing entry", []*Content{nil, New(AI, call("a")), nil, New(Tool, response("a"))}, []string{"1.0→3.0"}},
	} {
		t.Run(c.id, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, showPairs(PairCalls(c.entries))); diff != "" {
				t.Errorf("pairs (-want +got):\n%s", diff)
			}
		})
	}
}

// plainPairs implements D-11 literally: it reads forward and pairs a response with the latest call
// of its id.
func plainPairs(entries []*Content) Pairing {
	var p Pairing
	latest := make(map[string]int)
	for i, c := range entries {
		for j, block := range c.Blocks {
			switch b := block.(type) {
			case *ToolCall:
				latest[b.ID] = len(p.Pairs)
				p.Pairs = append(p.Pairs, Pair{At: Ref{i, j}, Call: b})
			case *ToolResponse:
				if n, ok := latest[b.CallID]; ok {
					p.Pairs[n].Responses = append(p.Pairs[n].Responses, Ref{i, j})
				} else {
					p.Orphans = append(p.Orphans, Ref{i, j})
				}
			}
		}
	}
	return p
}

func TestPairCallsAgainstPlainRule(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		entries := make([]*Content, rapid.IntRange(0, 30).Draw(t, "entries"))
		for i := range entries {
			entries[i] = New(AI)
			for range rapid.IntRange(0, 4).Draw(t, "blocks") {
				id := rapid.SampledFrom([]string{"1", "2", "3", "4"}).Draw(t, "id")
				block := rapid.SampledFrom([]Block{pairCall(id), pairResponse(id), &Text{}}).Draw(t, "block")
				entries[i].Blocks = append(entries[i].Blocks, block)
			}
		}
		want := showPairs(plainPairs(entries))
		if diff := cmp.Diff(want, showPairs(PairCalls(entries))); diff != "" {
			t.Fatalf("pairs (-plain +got):\n%s", diff)
		}
		var backward Pairing
		for pair := range PairsBackward(entries) {
			pair.Responses = slices.Clone(pair.Responses)
			backward.Pairs = append(backward.Pairs, pair)
		}
		slices.Reverse(backward.Pairs)
		backward.Orphans = plainPairs(entries).Orphans
		if diff := cmp.Diff(want, showPairs(backward)); diff != "" {
			t.Fatalf("backward (-plain +got):\n%s", diff)
		}
	})
}

// Memory for answered calls does not grow with the history.
func TestPairsBackwardAllocatesLittle(t *testing.T) {
	allocations := func(n int) float64 {
		var entries []*Content
		for i := range n {
			id := fmt.Sprint(i)
			entries = append(entries, New(AI, pairCall(id)), New(Tool, pairResponse(id)))
		}
		return testing.AllocsPerRun(10, func() {
			for range PairsBackward(entries) {
			}
		})
	}
	if short, long := allocations(10), allocations(10_000); long > short+5 {
		t.Errorf("%v allocations for 10 calls, %v for 10000", short, long)
	}
}

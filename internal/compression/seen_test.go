package compression

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"agent/internal/history"

	"pgregory.net/rapid"
)

// unseenAnswers returns the answers after the latest reply of a history. No request has contained
// them.
func unseenAnswers(entries []*history.Content) []*history.ToolResponse {
	var unseen []*history.ToolResponse
	for i, entry := range entries {
		for _, block := range entry.Blocks {
			if r, ok := block.(*history.ToolResponse); ok && !plainSeen(entries, i) {
				unseen = append(unseen, r)
			}
		}
	}
	return unseen
}

func carries(entries []*history.Content, r *history.ToolResponse) bool {
	return slices.ContainsFunc(entries, func(entry *history.Content) bool { return slices.Contains(entry.Blocks, history.Block(r)) })
}

// genReply returns a random history in which no request has contained the answers to the latest
// reply. Its calls often name the same files and commands. A user message may follow.
func genReply(t *rapid.T) []*history.Content {
	entries := append(genHistory(t), H("go on"))
	for reply := range rapid.IntRange(1, 3).Draw(t, "replies") {
		ask, answers := A(), []*history.Content(nil)
		for n := range rapid.IntRange(1, 6).Draw(t, "calls") {
			id := fmt.Sprintf("u%d-%d", reply, n)
			tool, parameters := "run_shell_command", `{"command":"`+pick(t, []string{"go test", "go test | tail -5", "go test 2>&1 | tail -9", "cat a", "cd x && go test | head -3"})+`"}`
			if chance(t, 60) {
				tool = pick(t, genTools)
				parameters = genParameters(t, tool)
			}
			ask.Blocks = append(ask.Blocks, call(id, tool, parameters))
			answers = append(answers, T(genResponse(t, id, tool)))
		}
		entries = append(append(entries, ask), answers...)
	}
	if chance(t, 30) {
		entries = append(entries, H("typed meanwhile", genText(t)))
	}
	return entries
}

// No strategy removes an answer, or a part of it, that no request has contained (D-120).
func TestUnseenAnswersStay_D120(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		entries := genReply(rt)
		c := contextOf(rt, rapid.IntRange(10, 20_000).Draw(rt, "window"), entries)
		c.PreserveThreshold = pick(rt, []float64{0, 0.2, 1})
		c.Summarizer = answeringModel(snap)
		for _, s := range strategies {
			if o, ok := s.(Optimizer); ok {
				result, err := o.Optimize(entries, genConfig(rt))
				if err != nil {
					rt.Fatal(err)
				}
				for _, p := range result.Prunes {
					for _, block := range p.Gone {
						if r, ok := block.(*history.ToolResponse); ok && slices.Contains(unseenAnswers(entries), r) {
							rt.Errorf("%s prunes r%s", s.Name(), r.CallID)
						}
					}
				}
			}
			if p, ok := s.(Pruner); ok {
				checkEngineSeen(rt, p, entries)
			}
			result, err := s.Compress(rt.Context(), c)
			if err != nil {
				continue
			}
			for _, r := range unseenAnswers(entries) {
				if !carries(result.NewHistory, r) {
					rt.Errorf("%s takes r%s", s.Name(), r.CallID)
				}
			}
		}
		if rt.Failed() {
			rt.Log(showAll(entries))
		}
	})
}

// checkEngineSeen checks the plans of an engine at any price and near any limit. A read may be
// removed if a later read of the same file and reply shows the same.
func checkEngineSeen(t *rapid.T, p Pruner, entries []*history.Content) {
	e := p.NewEngine(EngineOptions{Tools: testFacts, Root: "/w", Counter: func() history.Counter { return charCounter{} }})
	e.SetEntries(entries)
	m := RequestFacts{
		Price: pick(t, []Price{{Read: .1, Write: 1.25}, {Read: 1, Write: 1}, {Read: 0, Write: 1}}),
		Cold:  chance(t, 50), Pressed: chance(t, 50), Pace: pick(t, []float64{0, 0.001, 1}),
	}
	if m.Pressed {
		m.Patience = pick(t, []float64{1, .01})
	}
	e.Apply(e.Plan(m))
	var left []*history.Content
	for i := range e.Len() {
		left = append(left, e.Entry(i))
	}
	unseen := unseenAnswers(entries)
	for i, r := range unseen {
		if !carriesWhole(left, r) && !slices.ContainsFunc(unseen[i+1:], func(later *history.ToolResponse) bool {
			return testFacts(later.ToolName).ShowsFile() && later.Error == "" && carriesWhole(left, later)
		}) {
			t.Errorf("the engine takes r%s", r.CallID)
		}
	}
}

// carriesWhole reports whether entries contain an answer unchanged. A copy of its file may follow
// it.
func carriesWhole(entries []*history.Content, r *history.ToolResponse) bool {
	for _, entry := range entries {
		for _, block := range entry.Blocks {
			if after, ok := block.(*history.ToolResponse); ok && after.CallID == r.CallID && strings.HasPrefix(after.Result.Text(), r.Result.Text()) {
				return true
			}
		}
	}
	return false
}

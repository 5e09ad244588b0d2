package cacheaware

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/history"
	"agent/internal/tokens"
)

// prices are the price ratios for which the guarantees hold.
var prices = []Price{
	{Read: 0.1, Write: 1.25},
	{Read: 0.1, Write: 1},
	{Read: 0.25, Write: 1},
	{Read: 1, Write: 1},
	{Read: 0.05, Write: 1.25},
	{Read: 0.025, Write: 1.25},
	{Read: 0.0125, Write: 1.25},
	{Read: 0.1, Write: 1.25, Step: PriceStep{Above: 8000, Read: 0.2, Write: 2.5}},
}

// historyCount returns the number of random histories for a property: HISTORIES, or the usual number.
func historyCount(t *testing.T, usual int) int {
	t.Helper()
	text := os.Getenv("HISTORIES")
	if text == "" {
		return usual
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// checkShape compares the sent entries with the original ones. Each call has its answer, only calls
// and answers are removed, and everything else keeps its position.
func checkShape(t *testing.T, seed int, said []*history.Content, e *Engine) {
	t.Helper()
	sent := make([]*history.Content, e.Len())
	for i := range sent {
		sent[i] = e.Entry(i)
	}
	if err := history.Validate(sent); err != nil && history.Validate(said) == nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	total := 0
	for i := range e.conversation.units {
		total += e.conversation.units[i].tokens
	}
	if total != e.conversation.total {
		t.Fatalf("seed %d: the units hold %d tokens, the total is %d", seed, total, e.conversation.total)
	}
	if diff := cmp.Diff(shapes(said, shapes(sent, nil)), shapes(sent, nil)); diff != "" {
		t.Fatalf("seed %d: (-said +sent)\n%s", seed, diff)
	}
}

// shapes returns the blocks of a conversation without their changeable content. If among is given,
// it omits the calls and answers whose ID is not in it.
func shapes(entries []*history.Content, among []string) []string {
	var shapes []string
	for _, entry := range entries {
		for _, block := range entry.Blocks {
			shape, leaves := string(entry.Speaker)+" ", false
			switch b := block.(type) {
			case *history.ToolCall:
				shape, leaves = "call "+b.ID+b.Name, true
			case *history.ToolResponse:
				shape, leaves = "answer "+b.CallID+b.Error, true
			case *history.Text:
				shape += b.Text
			case *history.Thinking:
				if b.Attached == nil || !b.Attached.Wanted {
					continue // this block is not sent
				}
				shape = fmt.Sprint(shape, b)
			case *history.Media:
				shape += picturePointer(0)
			default:
				shape = fmt.Sprint(shape, b)
			}
			if !leaves || among == nil || slices.Contains(among, shape) {
				shapes = append(shapes, shape)
			}
		}
	}
	return shapes
}

// After a plan is applied there is nothing left to do. Planning changes nothing.
func TestPlanIsIdempotent(t *testing.T) {
	t.Parallel()
	for seed := range historyCount(t, 40) {
		r := rand.New(rand.NewPCG(uint64(seed), 3))
		e := newEngine()
		run(e, randomTalk(r, 40), func(request int) RequestFacts { return RequestFacts{Price: SafePrice, Cold: request == 0} }, func(Plan) {})
		m := RequestFacts{Price: SafePrice, Head: 100, Cold: true}
		first, second := e.Plan(m), e.Plan(m)
		if diff := cmp.Diff(fmt.Sprint(first), fmt.Sprint(second)); diff != "" {
			t.Fatalf("seed %d: planning changed the plan:\n%s", seed, diff)
		}
		for again := 0; len(e.Plan(m).Changes) > 0; again++ {
			if again == 3 {
				t.Fatalf("seed %d: there is always more to do: %v", seed, e.Plan(m).Changes)
			}
			e.Apply(e.Plan(m))
		}
	}
}

// TestFollow checks that an engine which follows the record of a session, from any point, makes the
// same decisions as the engine that wrote it.
func TestFollow(t *testing.T) {
	t.Parallel()
	for seed := range historyCount(t, 20) {
		r := rand.New(rand.NewPCG(uint64(seed), 5))
		live := newEngine()
		var steps []history.Step
		sent := int64(1)
		for i, entry := range randomTalk(r, 50) {
			if entry.Speaker == history.AI {
				m := RequestFacts{Price: prices[seed%4], Head: 300, Cold: i == 1 || r.IntN(20) == 0}
				plan := live.Plan(m)
				before := slices.Clone(live.conversation.entries)
				steps = append(steps, densityStep(before, plan, live.Apply(plan))...)
				request := Request{At: sent, Head: m.Head, Read: m.Price.Read, Write: m.Price.Write, Cold: m.Cold, Prompt: 9000, Cached: r.IntN(2)}
				entry = overJSON(t, request.Stamp(entry))
				sent++
			}
			live.Add(entry)
			steps = append(steps, history.Step{Kind: history.MutationAdded, Entry: entry})
			if i == 30 && seed%3 == 0 {
				rebuilt := slices.Clone(live.conversation.entries)[2:]
				live.Rebuild(rebuilt)
				steps = append(steps, history.Step{Kind: history.MutationReplaced, Entries: rebuilt})
			}
		}
		resumed := newEngine()
		for _, step := range steps {
			resumed.Follow(step)
		}
		if live.Account() != resumed.Account() || live.conversation.total != resumed.conversation.total || live.CacheFails() != resumed.CacheFails() {
			t.Fatalf("seed %d: live %+v %d, resumed %+v %d", seed, live.Account(), live.conversation.total, resumed.Account(), resumed.conversation.total)
		}
		m := RequestFacts{Price: SafePrice, Head: 300}
		if diff := cmp.Diff(fmt.Sprint(live.Plan(m)), fmt.Sprint(resumed.Plan(m))); diff != "" {
			t.Fatalf("seed %d: (-live +resumed):\n%s", seed, diff)
		}
	}
}

// overJSON returns an entry as a log would restore it.
func overJSON(t *testing.T, entry *history.Content) *history.Content {
	t.Helper()
	data, err := entry.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	back := new(history.Content)
	if err := back.UnmarshalJSON(data); err != nil {
		t.Fatal(err)
	}
	return back
}

// densityStep returns a plan as a record contains it.
func densityStep(before []*history.Content, plan Plan, applied history.DensityResult) []history.Step {
	if len(plan.Changes) == 0 {
		return nil
	}
	step := history.Step{Kind: history.MutationDensity, Edits: map[*history.Content]history.Edit{}}
	for i, after := range applied.Replacements {
		step.Edits[before[i]] = history.Edit{After: after}
	}
	for _, i := range applied.Removals {
		step.Edits[before[i]] = history.Edit{}
	}
	for _, c := range plan.Changes {
		edit := step.Edits[before[c.Entry]]
		edit.Kinds = append(edit.Kinds, history.PruneKind(c.Why))
		step.Edits[before[c.Entry]] = edit
	}
	return []history.Step{step}
}

// A density result of another strategy, which removes entries, restarts the engine.
func TestFollowAnotherStrategy(t *testing.T) {
	t.Parallel()
	talk := &talk{}
	talk.human("hello")
	talk.call("read", map[string]any{"path": "a.go"}, source("A", 50), false)
	talk.human("go on")
	e := newEngine()
	for _, entry := range talk.entries {
		e.Add(entry)
	}
	e.Follow(history.Step{Kind: history.MutationDensity, Edits: map[*history.Content]history.Edit{
		talk.entries[1]: {Kinds: []history.PruneKind{"stale-read"}}, talk.entries[2]: {Kinds: []history.PruneKind{"stale-read"}},
	}})
	if e.Len() != 2 || e.Entry(1) != talk.entries[3] {
		t.Errorf("%d entries are left", e.Len())
	}
	e.Follow(history.Step{Kind: history.MutationCleared})
	if e.Len() != 0 {
		t.Error("the cleared conversation is still there")
	}
}

// Every placeholder has at most 13 tokens in both vocabularies, however long the text was.
func TestPlaceholdersAreShort(t *testing.T) {
	t.Parallel()
	for _, vocabulary := range []string{"gpt-4o", "gpt-4"} {
		count := tokens.NewCounter(tokens.EncodingFor(vocabulary)).Count
		for _, lines := range []int{0, 1, 2, 245, 123_456} {
			pointer := pointerFor(strings.Repeat("x\n", lines), 999)
			if n := count(pointer); n > 13 || !strings.HasPrefix(pointer, PlaceholderPrefix) {
				t.Errorf("%s: %d tokens: %s", vocabulary, n, pointer)
			}
		}
	}
}

func BenchmarkPlan(b *testing.B) {
	e := newEngine()
	entries := randomTalk(rand.New(rand.NewPCG(1, 1)), 1000)
	run(e, entries, func(request int) RequestFacts { return RequestFacts{Price: SafePrice, Cold: request == 0} }, func(Plan) {})
	b.Logf("%d entries, %d units", e.Len(), len(e.conversation.units))
	for b.Loop() {
		e.Plan(RequestFacts{Price: SafePrice})
	}
}

func BenchmarkSession(b *testing.B) {
	for _, n := range []int{500, 1000, 2000} {
		entries := randomTalk(rand.New(rand.NewPCG(1, 1)), n)
		b.Run(fmt.Sprint(len(entries)), func(b *testing.B) {
			for b.Loop() {
				run(newEngine(), entries, func(request int) RequestFacts { return RequestFacts{Price: SafePrice, Cold: request == 0} }, func(Plan) {})
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(n), "µs/request")
		})
	}
}

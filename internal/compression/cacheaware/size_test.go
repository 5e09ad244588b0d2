package cacheaware

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"agent/internal/history"
)

// withAttachments adds random images and provider data. The provider wants some of the data back.
func withAttachments(r *rand.Rand, entries []*history.Content) []*history.Content {
	entries = append([]*history.Content(nil), entries...)
	data := func() *history.Attachment {
		return &history.Attachment{Model: "m", Host: "h", Wanted: r.IntN(4) > 0, Data: []byte(fmt.Sprintf("%q", source("Sig", 1+r.IntN(6))))}
	}
	for i, entry := range entries {
		blocks := append([]history.Block(nil), entry.Blocks...)
		switch entry.Speaker {
		case history.AI:
			for j, b := range blocks {
				if call, ok := b.(*history.ToolCall); ok && r.IntN(2) == 0 {
					blocks[j] = &history.ToolCall{ID: call.ID, Name: call.Name, Parameters: call.Parameters, Attached: data()}
				}
			}
			if r.IntN(2) == 0 {
				blocks = append([]history.Block{&history.Thinking{Thought: source("Hm", r.IntN(9)), Attached: data()}}, blocks...)
			}
		case history.Human:
			blocks = append(blocks, &history.Media{MimeType: "image/png", Data: "AAAA", Width: 100 * r.IntN(20), Height: 300})
		}
		entries[i] = entry.WithBlocks(blocks)
	}
	return entries
}

// The sizes in the engine equal the sizes in the history after every request, with any provider
// data.
func TestSizesAreThoseOfTheHistory(t *testing.T) {
	t.Parallel()
	cut := 0
	for seed := range historyCount(t, 40) {
		r := rand.New(rand.NewPCG(uint64(seed), 11))
		h, e := history.NewService(bytesCounter{}, nil), newEngine()
		for i, entry := range withAttachments(r, randomTalk(r, 40)) {
			if entry.Speaker == history.AI {
				m := RequestFacts{Price: SafePrice, Cold: r.IntN(9) == 0}
				plan := e.Plan(m)
				cut += len(plan.Changes)
				applied := e.Apply(plan)
				if err := h.ApplyDensityResult(applied); err != nil {
					t.Fatal(err)
				}
				e.Sent(m)
			}
			e.Add(entry)
			if err := h.Add(entry); err != nil {
				t.Fatal(err)
			}
			if e.conversation.total != h.TotalTokens() {
				t.Fatalf("seed %d, entry %d: the engine counts %d tokens, the history %d", seed, i, e.conversation.total, h.TotalTokens())
			}
		}
	}
	if cut == 0 {
		t.Error("nothing was cut")
	}
}

// An image is pruned like other results, and its placeholder describes it.
func TestImagesArePruned(t *testing.T) {
	t.Parallel()
	e := newEngine()
	e.Add(history.New(history.Human, &history.Text{Text: "look"}, &history.Media{MimeType: "image/png", Data: "AAAA"}))
	for i := range 10 {
		e.Add(history.New(history.AI, &history.Text{Text: fmt.Sprint("thought ", i)}))
		e.Add(history.HumanText("go on"))
	}
	plan := e.Plan(RequestFacts{Price: SafePrice, Cold: true})
	if len(plan.Changes) != 1 || plan.Changes[0].Kind != "image" {
		t.Fatalf("%+v", plan.Changes)
	}
	gone, left := e.conversation.replacedBlocks(plan.Changes[0])
	if _, ok := gone[0].(*history.Media); !ok || left[0].(*history.Text).Text != "[pruned: an image]" {
		t.Errorf("%v became %v", gone, left)
	}
	if e.Apply(plan); len(e.Plan(RequestFacts{Price: SafePrice, Cold: true}).Changes) > 0 {
		t.Error("it goes a second time")
	}
}

package calibrate

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"agent/internal/history"
)

// countedConversation is a conversation that a provider counts with its own scale, and with another scale for
// system prompt and tools.
type countedConversation struct {
	Request
	told map[*history.Content]float64
	head float64
}

func (c *countedConversation) add(own int, scale float64) {
	entry := history.HumanText("text")
	c.Entries, c.Tokens = append(c.Entries, entry), append(c.Tokens, own)
	c.told[entry] = scale * float64(own)
}

// upTo returns the provider's count for the system prompt, the tools and some entries.
func (c *countedConversation) upTo(entries int) float64 {
	sum := c.head
	for _, entry := range c.Entries[:entries] {
		sum += c.told[entry]
	}
	return sum
}

func draw(t *rapid.T) *countedConversation {
	own := rapid.IntRange(500, 4000).Draw(t, "head")
	return &countedConversation{
		Request: Request{Model: "m", Head: "h", HeadTokens: own},
		told:    map[*history.Content]float64{},
		head:    float64(own) * rapid.Float64Range(0.8, 1.5).Draw(t, "scale of the head"),
	}
}

// Everything up to the end of a reported request has its exact size, however much texts differ. New
// content has the scale of the texts, not the scale of the system prompt and tools.
func TestReportedPartsAreExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := draw(t)
		scale := rapid.Float64Range(0.8, 1.3).Draw(t, "scale")
		alike := rapid.Bool().Draw(t, "texts are alike")
		var g Calibration
		var ends []int
		for range rapid.IntRange(4, 12).Draw(t, "requests") {
			for range rapid.IntRange(1, 3).Draw(t, "entries") {
				of := scale
				if !alike {
					of *= rapid.Float64Range(0.9, 1.1).Draw(t, "differs")
				}
				c.add(rapid.IntRange(50, 900).Draw(t, "own"), of)
			}
			ends = append(ends, len(c.Entries))
			g.Observe(c.Request, int(math.Round(c.upTo(len(c.Entries)))))
		}
		const rounding = 2
		for _, end := range ends {
			if _, part := g.Size(c.Request, 1, end, 0); math.Abs(part.Tokens-c.upTo(end)) > rounding || part.Doubt != 0 {
				t.Fatalf("%d entries have %+v tokens of %.0f", end, part, c.upTo(end))
			}
		}
		c.add(1000, scale)
		whole, part := g.Size(c.Request, 1, len(c.Entries)-1, 0.5)
		if off := math.Abs(whole.Tokens - c.upTo(len(c.Entries))); alike && off > 25 || !alike && off > 130 {
			t.Fatalf("the next request has %+v tokens of %.0f", whole, c.upTo(len(c.Entries)))
		}
		if math.Abs(part.Tokens-(whole.Tokens+c.upTo(len(c.Entries)-1))/2) > rounding || !alike && part.Doubt == 0 || whole.Doubt < part.Doubt {
			t.Fatalf("half of the new entry ends at %+v of %+v", part, whole)
		}
	})
}

// Removed content takes its size out of the total, and the remaining content keeps its size.
func TestRemovedParts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c, scale := draw(t), rapid.Float64Range(0.8, 1.3).Draw(t, "scale")
		var g Calibration
		for range 12 {
			c.add(rapid.IntRange(100, 900).Draw(t, "own"), scale)
			g.Observe(c.Request, int(math.Round(c.upTo(len(c.Entries)))))
		}
		at := rapid.IntRange(0, len(c.Entries)-1).Draw(t, "left")
		c.Entries, c.Tokens = slices.Delete(slices.Clone(c.Entries), at, at+1), slices.Delete(slices.Clone(c.Tokens), at, at+1)
		whole, _ := g.Size(c.Request, 1, 0, 0)
		if off := math.Abs(whole.Tokens - c.upTo(len(c.Entries))); off > 10 || whole.Doubt != 0 {
			t.Fatalf("%+v tokens of %.0f are left", whole, c.upTo(len(c.Entries)))
		}
	})
}

// Another model has another scale, and another system prompt another size. A report that cannot be
// the size of the request is ignored.
func TestUnknownScales(t *testing.T) {
	t.Parallel()
	entry := history.HumanText("text")
	r := Request{Model: "m", Head: "h", HeadTokens: 1000, Entries: []*history.Content{entry}, Tokens: []int{1000}}
	var g Calibration
	g.Observe(r, 2400)
	size := func(r Request) Size { whole, _ := g.Size(r, 2, 0, 0); return whole }
	if got := size(r); got != (Size{Tokens: 2400}) {
		t.Error(got)
	}
	other := r
	other.Model = "another"
	if got := size(other); got.Tokens != 4000 || got.Doubt < 400 {
		t.Error(got)
	}
	other = r
	other.Head = "another"
	if got := size(other); got.Tokens != 2400 || got.Doubt < 120 {
		t.Error(got)
	}
	for _, told := range []int{0, 100, 40_000} {
		if g.Observe(r, told); g.parts != nil {
			t.Errorf("%d tokens are believed", told)
		}
	}
}

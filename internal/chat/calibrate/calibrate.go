// Package calibrate measures the parts of a conversation in a provider's tokens. A provider reports
// only the size of whole requests: a Calibration compares each report with the one before, so that the
// size of everything that was sent is known, and only the new texts are estimated. It knows nothing
// of caches and prices.
package calibrate

import (
	"math"
	"slices"

	"agent/internal/history"
)

// A Request is a request by our own count.
type Request struct {
	// Model names the model and its endpoint, and Head is a digest of the system prompt and the
	// tools.
	Model, Head string
	// HeadTokens is the size of the head, and Tokens has the size of each entry.
	HeadTokens int
	Entries    []*history.Content
	Tokens     []int
}

// A Calibration holds the facts that the reports about one model have shown. The zero Calibration knows no report.
type Calibration struct {
	model, head string
	// headTold is the size of the head, and parts has the entries of the latest request.
	headTold float64
	parts    map[*history.Content]part
	// ratio is the scale of the latest request with its head. texts are the latest texts that were
	// measured separately; own and told sum up their counts.
	ratio     float64
	texts     []text
	own, told float64
}

// A part is an entry that was sent: its size in the provider's tokens, whether it ended a request,
// so that the size of everything up to it is exact, and whether it was measured together with the
// head, which makes its own size a guess.
type part struct {
	tokens      float64
	ends, guess bool
}

// A text is the new part of a request, by our own count and by the provider's.
type text struct{ own, told float64 }

const (
	// leastScale and mostScale limit the scales that are used: outside them the provider counted
	// something other than the text.
	leastScale = 0.5
	mostScale  = 2.0
	// enough is the size of texts, by our own count, from which their scale is known.
	enough = 100
	// latest is the number of texts that show how much scales differ: of so many, the second
	// largest difference is above the next one in 19 of 21 cases.
	latest = 20
	// few is the number of texts up to which firstDoubt is assumed.
	few        = 3
	firstDoubt = 0.1
	// small is added to the size of a text before its difference becomes a share, because the scale
	// of a few words does not hold for a page.
	small = 16
)

// scale returns the number of the provider's tokens for one of ours in a text. The head has a scale
// of its own: each provider writes the definitions of tools in another form.
func (g *Calibration) scale() float64 {
	if g.own < enough {
		return g.ratio
	}
	return min(max(g.told/g.own, leastScale), mostScale)
}

// doubt returns the share by which the scale of a text may differ.
func (g *Calibration) doubt() float64 {
	if len(g.texts) < few {
		return firstDoubt
	}
	shares := make([]float64, len(g.texts))
	for i, t := range g.texts {
		shares[i] = math.Abs(t.told-g.scale()*t.own) / (t.own + small)
	}
	slices.Sort(shares)
	if len(shares) < latest {
		return shares[len(shares)-1]
	}
	return shares[len(shares)-2]
}

// Reported takes the size of a request in the provider's tokens.
func (g *Calibration) Reported(r Request, prompt int) {
	own, told := r.HeadTokens, float64(prompt)
	for _, n := range r.Tokens {
		own += n
	}
	if own <= 0 || told < leastScale*float64(own) || told > mostScale*float64(own) {
		*g = Calibration{}
		return
	}
	if r.Model != g.model {
		*g = Calibration{model: r.Model}
	}
	g.ratio = told / float64(own)
	first := g.parts == nil
	scale := g.measure(r, told)
	parts := make(map[*history.Content]part, len(r.Entries))
	g.headTold = told
	for i, entry := range r.Entries {
		p, known := g.parts[entry]
		if !known {
			p = part{tokens: scale * float64(r.Tokens[i]), guess: first}
		}
		if p.guess {
			p.tokens = g.scale() * float64(r.Tokens[i])
		}
		p.ends = p.ends || i == len(r.Entries)-1
		parts[entry] = p
		g.headTold -= p.tokens
	}
	g.head, g.parts = r.Head, parts
}

// measure returns the scale of the entries that no report had before.
func (g *Calibration) measure(r Request, told float64) float64 {
	rest, unknown := told-g.headTold, 0.0
	for i, entry := range r.Entries {
		if p, known := g.parts[entry]; known {
			rest -= p.tokens
		} else {
			unknown += float64(r.Tokens[i])
		}
	}
	if r.Head != g.head || unknown == 0 {
		return g.scale()
	}
	scale := min(max(rest/unknown, leastScale), mostScale)
	g.own, g.told = g.own+unknown, g.told+scale*unknown
	if g.texts = append(g.texts, text{unknown, scale * unknown}); len(g.texts) > latest {
		g.texts = g.texts[1:]
	}
	return scale
}

// A Size is a number of the provider's tokens, and by how many it may differ.
type Size struct{ Tokens, Doubt float64 }

// Size returns the size of a request, and of its beginning: the head, a number of entries and a
// share of the entry after them. What no report shows follows from the scale of the texts before;
// other is the scale for a model that has reported nothing.
func (g *Calibration) Size(r Request, other float64, entries int, share float64) (whole, beginning Size) {
	scale, doubt, parts := other, firstDoubt, map[*history.Content]part(nil)
	if r.Model == g.model {
		scale, doubt, parts = g.scale(), g.doubt(), g.parts
	}
	head, unknown := g.headTold, 0.0
	if parts == nil || r.Head != g.head {
		head = scale * float64(r.HeadTokens)
		unknown = head
	}
	whole.Tokens, beginning.Tokens = head, head
	split := 0.0 // what the beginning has after the end of a request
	for i, entry := range r.Entries {
		p, known := parts[entry]
		if !known {
			p.tokens = scale * float64(r.Tokens[i])
			unknown += p.tokens
		}
		whole.Tokens += p.tokens
		switch {
		case i < entries:
			beginning.Tokens += p.tokens
			split += p.tokens
			if p.ends {
				split = 0
			}
		case i == entries:
			beginning.Tokens += share * p.tokens
			split += share * p.tokens
		}
	}
	doubtOf := func(tokens float64) float64 {
		if tokens == 0 {
			return 0
		}
		return doubt * (tokens + small*scale)
	}
	whole.Doubt, beginning.Doubt = doubtOf(unknown), doubtOf(split)
	return whole, beginning
}

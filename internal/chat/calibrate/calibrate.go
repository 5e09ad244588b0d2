// Package calibrate estimates the sizes of the parts of a conversation as the provider counts tokens. A
// provider reports only the size of whole requests. A Calibration compares each report with the
// previous one. So the size of all sent content is known, and only new texts are estimated. The package
// does not depend on caches and prices.
package calibrate

import (
	"math"
	"slices"

	"agent/internal/history"
)

// A Request contains the sizes of a request by our own count.
type Request struct {
	// Model identifies the model and its endpoint. Head is a digest of the system prompt and the tools.
	Model, Head string
	// HeadTokens is the size of the system prompt and tools. Tokens has the size of each entry.
	HeadTokens int
	Entries    []*history.Content
	Tokens     []int
}

// A Calibration holds the results of the reports about one model. The zero Calibration has no report.
type Calibration struct {
	model, head string
	// headTold is the reported size of the head. parts has the entries of the latest request.
	headTold float64
	parts    map[*history.Content]part
	// ratio is the scale of the latest request including its head. texts are the latest texts that were
	// measured separately. own and told sum up their counts.
	ratio     float64
	texts     []text
	own, told float64
}

// A part is an entry that was sent, with its size in the provider's tokens. If it ended a request, the
// size of everything up to it is exact. If it was measured together with the head, its own size is a
// guess.
type part struct {
	tokens      float64
	ends, guess bool
}

// A text is the size of the new part of a request, by our own count and by the provider's.
type text struct{ own, told float64 }

const (
	// leastScale and mostScale limit the scales. Beyond them the provider counted more than the text.
	leastScale = 0.5
	mostScale  = 2.0
	// enough is the total size of texts, by our own count, that is required to compute their scale.
	enough = 100
	// latest is the number of texts from which the variation of scales is computed. The second largest
	// difference of 20 texts exceeds the next difference in 19 of 21 cases.
	latest = 20
	// few is the largest number of texts for which firstDoubt is assumed.
	few        = 3
	firstDoubt = 0.1
	// small is added to the size of a text before its difference becomes a share. Without it a text of
	// a few words would count as much as a page.
	small = 16
)

// scale returns the provider's tokens for one token of our own count in a text. It does not apply to
// the head, because each provider formats tool definitions differently.
func (g *Calibration) scale() float64 {
	if g.own < enough {
		return g.ratio
	}
	return min(max(g.told/g.own, leastScale), mostScale)
}

// doubt returns the relative error of the scale of a text.
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

// Observe processes the reported size of a request in the provider's tokens.
func (g *Calibration) Observe(r Request, prompt int) {
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

// measure returns the ratio of the provider's count to ours for the entries of r that no earlier report
// contained, and adds it to the calibration. told is the reported size of the whole request. Without such
// entries, or if the head has changed, measure returns the scale of the earlier reports.
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

// A Size is a number of the provider's tokens. Doubt is its possible error in tokens.
type Size struct{ Tokens, Doubt float64 }

// Size returns the size of a request and of its beginning: the head, a number of entries and a share of
// the next entry. Unreported sizes are estimated from the scale of the texts before. other is the scale
// for a model without reports.
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
	split := 0.0 // the part of the beginning after the end of a request
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

package offline

import (
	"time"

	"agent/internal/history"
)

// Figures are what became of a recording under one variant.
type Figures struct {
	// Requests counts model requests; TotalInput sums their input tokens and
	// PeakInput is the largest.
	Requests   int `json:"requests"`
	TotalInput int `json:"totalInputTokens"`
	PeakInput  int `json:"peakInputTokens"`
	// CachedInput is the part of TotalInput that stood unchanged at the head of
	// the request before (longest common prefix) while a provider keeps that.
	CachedInput int `json:"cachedInputTokens"`
	// Edits counts texts quoted by edits that were applied; Grounded those that were
	// still visible in the context when the edit was made, Blinded those that were
	// not although the recording showed them. Each of these is read again, by another
	// request.
	Edits    int `json:"edits"`
	Grounded int `json:"groundedEdits"`
	Blinded  int `json:"blindedEdits"`
	// NeverWhole counts answers that were pruned before any request had carried them whole.
	NeverWhole int `json:"neverSeenWhole"`
	// Words counts words that replies used and that the recording showed, WordsLost
	// those that stood nowhere in the context.
	Words     int `json:"words"`
	WordsLost int `json:"wordsLost"`
	// PreSend is the time all pre-send windows took together.
	PreSend time.Duration `json:"preSendNs"`
	// Pruned and Compressions count what was done to the context; what the hard
	// limit forced is among the compressions.
	Pruned       history.Counts `json:"pruned"`
	Compressions int            `json:"compressions"`
}

func (f *Figures) add(s Sent) {
	f.Requests++
	f.TotalInput += s.Tokens
	f.CachedInput += s.Cached
	f.PeakInput = max(f.PeakInput, s.Tokens)
}

// Sent is one request: its size and what of it was cached, in tokens.
type Sent struct {
	// Reply numbers the reply of the recording it was made for.
	Reply          int
	Tokens, Cached int
	// Fault says that it was made to read again what was pruned.
	Fault bool
}

// Account is what one variant would have sent.
type Account struct {
	Name string `json:"name"`
	// Figures are those at the first price model.
	Figures
	// Cost is the input's price by price model, relative to sending everything
	// (the first variant).
	Cost []Cost `json:"cost"`
}

// Cost is the price of an account's input under one price model. A variant that asks
// for the price decides anew for each.
type Cost struct {
	Model string `json:"model"`
	// Units are tokens weighed by the model's prices.
	Units float64 `json:"units"`
	// Reference are the units of the first variant, Relative the share of it.
	Reference float64 `json:"reference"`
	Relative  float64 `json:"relative"`
	// Worst is the largest share at any point of the recording.
	Worst float64 `json:"worstPrefix"`
	// FaultUnits are the part of Units that reading again took; the rest is as in
	// Figures.
	FaultUnits float64 `json:"faultUnits"`
	Grounded   int     `json:"groundedEdits"`
	Blinded    int     `json:"blindedEdits"`
	NeverWhole int     `json:"neverSeenWhole"`
	WordsLost  int     `json:"wordsLost"`

	// Sent are the requests.
	Sent []Sent `json:"-"`
}

// accountOf sums up the runs of a variant, against those of the first. Of a variant
// that asks for no price there is one run.
func accountOf(v Variant, models []PriceModel, runs, first []*run) Account {
	a := Account{Name: v.Name, Figures: runs[0].figures}
	latest := runs[0]
	for i, m := range models {
		if runs[i] != nil {
			latest = runs[i]
		}
		c := Cost{
			Model: m.Name, Sent: latest.sent,
			Grounded: latest.figures.Grounded, Blinded: latest.figures.Blinded,
			NeverWhole: latest.figures.NeverWhole, WordsLost: latest.figures.WordsLost,
		}
		c.weigh(m, first[0].sent)
		a.Cost = append(a.Cost, c)
	}
	return a
}

// plus adds another recording under the same variant.
func (a *Account) plus(b Account) {
	f, g := &a.Figures, b.Figures
	f.Requests += g.Requests
	f.TotalInput += g.TotalInput
	f.PeakInput = max(f.PeakInput, g.PeakInput)
	f.CachedInput += g.CachedInput
	f.Edits += g.Edits
	f.Grounded += g.Grounded
	f.Blinded += g.Blinded
	f.NeverWhole += g.NeverWhole
	f.Words += g.Words
	f.WordsLost += g.WordsLost
	f.PreSend += g.PreSend
	f.Pruned = g.Pruned.Plus(f.Pruned)
	f.Compressions += g.Compressions
	for i, c := range b.Cost {
		sum := &a.Cost[i]
		sum.Model = c.Model
		sum.Units += c.Units
		sum.Reference += c.Reference
		sum.Relative = sum.Units / max(1, sum.Reference)
		sum.Worst = max(sum.Worst, c.Worst)
		sum.FaultUnits += c.FaultUnits
		sum.Grounded += c.Grounded
		sum.Blinded += c.Blinded
		sum.NeverWhole += c.NeverWhole
		sum.WordsLost += c.WordsLost
	}
}

// weigh prices the requests and compares them, reply by reply, with others.
func (c *Cost) weigh(m PriceModel, others []Sent) {
	next := 0
	for i, s := range c.Sent {
		units := m.units(s)
		c.Units += units
		if s.Fault {
			c.FaultUnits += units
		}
		for ; next < len(others) && others[next].Reply <= s.Reply; next++ {
			c.Reference += m.referenceUnits(others[next])
		}
		if i+1 == len(c.Sent) || c.Sent[i+1].Reply > s.Reply {
			c.Worst = max(c.Worst, c.Units/max(1, c.Reference))
		}
	}
	c.Relative = c.Units / max(1, c.Reference)
}

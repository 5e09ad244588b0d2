package offline

import (
	"time"

	"agent/internal/history"
)

// VariantResult contains the results of replaying a recording under one variant.
type VariantResult struct {
	// Requests counts model requests. TotalInput sums their input tokens, and PeakInput is the largest.
	Requests   int `json:"requests"`
	TotalInput int `json:"totalInputTokens"`
	PeakInput  int `json:"peakInputTokens"`
	// CachedInput is the part of TotalInput that was in the provider's cache: the longest common prefix
	// with the previous request, while the provider keeps that prefix.
	CachedInput int `json:"cachedInputTokens"`
	// Edits counts the texts quoted by applied edits. Of these, Grounded counts the texts that were
	// still in the context when the edit was made. Blinded counts the texts that were not, although the
	// recording contained them. A blinded text is read again by an additional request.
	Edits    int `json:"edits"`
	Grounded int `json:"groundedEdits"`
	Blinded  int `json:"blindedEdits"`
	// NeverWhole counts answers that were pruned before any request contained them completely.
	NeverWhole int `json:"neverSeenWhole"`
	// Words counts words of replies that the recording contained before. Of these, WordsLost counts the
	// words that were nowhere in the context.
	Words     int `json:"words"`
	WordsLost int `json:"wordsLost"`
	// Void counts the replies whose reasoning became void by a change of earlier content. Of these,
	// VoidRunning counts the replies of the running turn. Both are 0 unless the model's reasoning is
	// bound.
	Void        int `json:"voidReasoning,omitzero"`
	VoidRunning int `json:"voidReasoningOfRunningTurns,omitzero"`
	// PreSend is the total time of all pre-send windows.
	PreSend time.Duration `json:"preSendNs"`
	// Pruned and Compressions count the changes of the context. Compressions includes those that the
	// hard limit forced.
	Pruned       history.PruneCounts `json:"pruned"`
	Compressions int                 `json:"compressions"`
}

func (f *VariantResult) add(s SentRequest) {
	f.Requests++
	f.TotalInput += s.Tokens
	f.CachedInput += s.Cached
	f.PeakInput = max(f.PeakInput, s.Tokens)
}

// SentRequest describes one request: its size, and the cached part of it, in tokens.
type SentRequest struct {
	// Reply is the number of the reply in the recording that answered the request.
	Reply          int
	Tokens, Cached int
	// Fault is set if the request was needed to read pruned content again.
	Fault bool
}

// Account contains the requests and costs of one variant.
type Account struct {
	Name string `json:"name"`
	// VariantResult holds the results at the first price model.
	VariantResult
	// Cost contains the price of the input under each price model, relative to the first variant, which
	// does not prune.
	Cost []Cost `json:"cost"`
}

// Cost is the input cost of an account under one price model. A variant whose pruning depends on the
// price is replayed once for each price model.
type Cost struct {
	Model string `json:"model"`
	// Units is the number of tokens, weighted with the prices of the model.
	Units float64 `json:"units"`
	// Reference is the Units of the first variant. Relative is Units divided by Reference.
	Reference float64 `json:"reference"`
	Relative  float64 `json:"relative"`
	// Worst is the largest value of Relative after any request of the recording.
	Worst float64 `json:"worstPrefix"`
	// FaultUnits is the part of Units spent on reading content again. The fields after it are as in
	// Figures.
	FaultUnits float64 `json:"faultUnits"`
	Grounded   int     `json:"groundedEdits"`
	Blinded    int     `json:"blindedEdits"`
	NeverWhole int     `json:"neverSeenWhole"`
	WordsLost  int     `json:"wordsLost"`

	// Sent lists the requests.
	Sent []SentRequest `json:"-"`
}

// accountOf sums up the runs of a variant and compares them with the runs of the first variant. A
// variant that does not depend on the price has only one run.
func accountOf(v Variant, models []PriceModel, runs, first []*run) Account {
	a := Account{Name: v.Name, VariantResult: runs[0].figures}
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

// plus adds the figures of another recording under the same variant.
func (a *Account) plus(b Account) {
	f, g := &a.VariantResult, b.VariantResult
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
	f.Void += g.Void
	f.VoidRunning += g.VoidRunning
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

// weigh prices the requests and compares them, reply by reply, with the requests of the first
// variant.
func (c *Cost) weigh(m PriceModel, others []SentRequest) {
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

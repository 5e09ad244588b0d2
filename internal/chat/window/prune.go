package window

import (
	"fmt"
	"log/slog"

	"agent/internal/compression"
	"agent/internal/history"
)

// Pruning removes outdated content from the context before a request.
type Pruning struct {
	history   *history.Service
	measure   *RequestMeter
	ledger    *Ledger
	staleness *StaleFinder
	pricing   *pricing
	tell      func(Step)
	log       *slog.Logger
	// optimized is the latest generation of the history that density has processed (D-02).
	optimized uint64
}

// EnsureDensityOptimized prunes content that newer content has made stale. It does so if the strategy
// supports it and something was added since the last time (REQ-HD-002). It also does so if the request
// is over the hard limit (REQ-HD-002.8). Whatever the outcome, the history then counts as processed
// (REQ-HD-002.7).
func (p *Pruning) EnsureDensityOptimized(strategy compression.Strategy) error {
	p.measure.tellHead()
	if pruner, ok := strategy.(compression.Pruner); ok {
		return p.byPrice(pruner)
	}
	optimizer, ok := strategy.(compression.Optimizer)
	generation := p.history.Generation()
	if over := p.measure.overLimit(); !ok || !over && (p.optimized == generation || p.pricing.pastIsKept()) {
		return nil
	}
	p.optimized = generation
	result, err := optimizer.Optimize(p.history.RawHistory(), p.staleness.Config())
	if err != nil {
		return fmt.Errorf("pruning failed, so nothing was sent: %w", err)
	}
	if len(result.Skipped) > 0 && p.log != nil {
		p.log.Debug("pruning skipped calls that name no file", "entries", result.Skipped)
	}
	if result.Empty() {
		return nil
	}
	return p.apply(result)
}

// apply applies the removals to the history, and reports them.
func (p *Pruning) apply(result history.DensityResult) error {
	before := p.measure.Tokens()
	p.ledger.nameCalls(result.Prunes, p.history.RawHistory())
	if err := p.history.ApplyDensityResult(result); err != nil {
		return fmt.Errorf("pruning failed, so nothing was sent: %w", err)
	}
	p.tell(Density{
		Metadata:     result.Metadata,
		Prunes:       p.ledger.record(result.Prunes, result.Cut),
		TokensBefore: before,
		TokensAfter:  p.measure.Tokens(),
		Limit:        p.measure.limits.Size(),
		Cut:          result.Cut,
	})
	return nil
}

// byPrice applies the plan of the strategy's engine for the next request. If the request still reaches
// the threshold, the price no longer counts. The retention is then halved until enough content is
// pruned, so that a compression may be avoided.
func (p *Pruning) byPrice(strategy compression.Pruner) error {
	p.pricing.follow(strategy)
	m := p.pricing.moment()
	m.Price.Step.Above = p.measure.unscaled(m.Price.Step.Above)
	p.pricing.request = &compression.Request{
		At: p.pricing.now().UnixMilli(), Model: p.pricing.model(), Head: m.Head, Limit: p.measure.limits.Size(), HeadSum: p.pricing.heads.Digest(),
		Read: m.Price.Read, Write: m.Price.Write, Step: m.Price.Step, Cold: m.Cold, Cache: m.Cache,
	}
	if !m.Warmed.IsZero() {
		p.pricing.request.Warmed = m.Warmed.UnixMilli()
	}
	if err := p.carryOut(p.pricing.engine.Plan(m)); err != nil {
		return err
	}
	defer func() { p.pricing.request.Mark = p.pricing.engine.Mark(m) }()
	if !p.measure.ShouldCompress(strategy) {
		return nil
	}
	m.Pressed = true
	enough := p.pricing.heads.overhead() + int(enoughShare*float64(p.measure.unscaled(p.measure.limits.CompressionThreshold(strategy))-p.pricing.heads.overhead()))
	for m.Patience = 1; p.measure.Estimate() > enough && m.Patience > leastPatience; m.Patience /= 2 {
		if err := p.carryOut(p.pricing.engine.Plan(m)); err != nil {
			return err
		}
	}
	return nil
}

// enoughShare is the share of the room below the trigger that may stay filled near the limit.
// Everything after such a pruning pass is charged again, so a pass that leaves too little room is soon
// followed by another. Compared with 1, the 30 training sessions cost a tenth less at 0.8 with 32 000
// tokens, and a fourteenth less with 16 000. With 28 000 to 36 000 tokens they cost another twentieth
// less at 0.7, and fewer texts that edits quote are lost. At 0.6 more are lost.
const enoughShare = 0.7

// leastPatience ends the halving. The longest retention of any content is then the lowest that the
// engine allows near the limit.
const leastPatience = 1.0 / 64

func (p *Pruning) carryOut(plan compression.Plan) error {
	if len(plan.Changes) == 0 {
		return nil
	}
	for i := range plan.Changes {
		plan.Changes[i].Number = p.ledger.nextNumber(i)
	}
	return p.apply(p.pricing.engine.Apply(plan))
}

// takeOut replaces an entry by a shorter one at the request of the user. It returns the number of
// tokens pruned.
func (p *Pruning) takeOut(index int, entry *history.Content, prune history.Prune) (freed int, err error) {
	before := p.measure.Tokens()
	result := history.DensityResult{Replacements: map[int]*history.Content{index: entry}, Prunes: []history.Prune{prune}}
	p.ledger.nameCalls(result.Prunes, p.history.RawHistory())
	if err := p.history.ApplyDensityResult(result); err != nil {
		return 0, err
	}
	p.ledger.record(result.Prunes, nil)
	return before - p.measure.Tokens(), nil
}

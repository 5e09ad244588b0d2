package window

import (
	"fmt"
	"iter"
	"slices"
	"time"

	"agent/internal/compression"
	"agent/internal/history"
	"agent/internal/llm/vendor"
	"agent/internal/settings"
)

// pruning holds the pinned files and, for a strategy that prunes by price, its engine and the
// request that is being made.
type pruning struct {
	*measure
	ledger *ledger
	// pins holds the absolute paths of the files that the user has pinned.
	pins   map[string]bool
	engine compression.Follower
	// request is the request that is being made. The reply carries it into the history.
	request *compression.Request
	// observed is the time at which a provider last reported on a request.
	observed time.Time
}

// pruneByPrice applies the plan of the strategy's engine for the next request. If the request
// still reaches the threshold, the price does not count any more: patience is halved until enough
// content has left, so that a compression may be avoided.
func (w *Window) pruneByPrice(strategy compression.Pruner) error {
	w.follow(strategy)
	m := w.moment()
	w.request = &compression.Request{
		At: w.Now().UnixMilli(), Model: w.model(), Head: m.Head, Limit: w.Size(), HeadSum: w.HeadSum(),
		Read: m.Price.Read, Write: m.Price.Write, Cold: m.Cold, Cache: m.Cache,
	}
	if err := w.carryOut(w.engine.Plan(m)); err != nil {
		return err
	}
	defer func() { w.request.Mark = w.engine.Mark(m) }()
	if !w.ShouldCompress(strategy) {
		return nil
	}
	m.Pressed = true
	enough := w.overhead() + int(enoughShare*float64(w.estimated(w.Trigger(strategy))-w.overhead()))
	for m.Patience = 1; w.Estimate() > enough && m.Patience > leastPatience; m.Patience /= 2 {
		if err := w.carryOut(w.engine.Plan(m)); err != nil {
			return err
		}
	}
	return nil
}

// enoughShare is the share of the room below the trigger that may stay filled under pressure.
// Everything behind such a cut is billed anew, so a cut that leaves too little room is soon
// followed by another. At 0.8 the 30 training sessions cost a tenth less at 32 000 tokens and a
// fourteenth less at 16 000 than at 1. From 28 000 to 36 000 tokens they cost another twentieth
// less at 0.7, and fewer texts that edits quote are gone; at 0.6 more are.
const enoughShare = 0.7

// leastPatience ends the halving: the longest patience of any content is then the lowest that the
// engine allows under pressure.
const leastPatience = 1.0 / 64

// follow brings the engine in step with the history.
func (p *pruning) follow(strategy compression.Pruner) {
	if p.engine == nil {
		p.engine = p.newEngine(strategy)
		p.engine.Become(p.History.RawHistory())
	} else {
		taught := p.engine.Pauses()
		p.engine.Become(p.History.RawHistory())
		if p.engine.Pauses() != taught {
			p.keepLife()
		}
	}
	for path := range p.pins {
		p.engine.Pin(path, true) // again, since the conversation may only now know the file
	}
}

// keepLife saves the lifetime of the provider's cache for later sessions if the latest reply has
// taught a new one.
func (p *pruning) keepLife() {
	latest, ok := p.engine.Latest()
	if !ok || p.KeepLife == nil || p.Cache == nil {
		return
	}
	known := p.Cache(latest.Model)
	if life := p.engine.Believe(known).Life; life != known.Life {
		p.KeepLife(latest.Model, life)
	}
}

func (p *pruning) newEngine(strategy compression.Pruner) compression.Follower {
	return strategy.Follower(compression.FollowerOptions{
		Tools:   p.Facts,
		Root:    p.Root,
		Counter: func() history.Counter { return p.Counter(p.model()) },
		Numbered: func() bool {
			if p.head.window == 0 { // a resumed conversation, before its first request
				return p.TranscriptPath() != ""
			}
			return p.recalls()
		},
	})
}

// moment returns the facts known about the next request.
func (p *pruning) moment() compression.Moment {
	return compression.Moment{
		Price: p.price(), Head: p.overhead(), Cache: p.cache(), At: p.Now(), Cold: p.cold(), Pace: settings.CompressionPace.Of(p.Settings), Files: p.Files, Copies: p.Copies,
	}
}

// cache describes the provider's cache: the known facts about the model's provider, corrected by
// the provider's reports since.
func (p *pruning) cache() vendor.Cache {
	var known vendor.Cache
	if p.Cache != nil {
		known = p.Cache(p.model())
	}
	return p.engine.Believe(known)
}

// Mark returns the number of entries at the beginning of sent that the strategy means to leave
// unchanged. It returns false for a strategy without marks.
func (p *pruning) Mark(sent []*history.Content) (entries int, ok bool) {
	if p.request == nil || p.engine == nil {
		return 0, false
	}
	mark := p.request.Mark
	if mark == 0 || mark > p.engine.Len() {
		return 0, true
	}
	return slices.Index(sent, p.engine.Entry(mark-1)) + 1, true
}

func (p *pruning) price() compression.Price {
	if p.Price == nil {
		return compression.SafePrice
	}
	return p.Price(p.model())
}

// cold reports whether the provider's cache can hold nothing of the next request. It relies on
// the recorded requests and not on memory of this process, so that a session that is resumed at
// once decides as if it had gone on.
func (p *pruning) cold() bool {
	latest, ok := p.engine.Latest()
	switch {
	case p.engine.Fresh() && (ok || p.observed.IsZero()):
		return true // never sent, or rebuilt since
	case !ok:
		return !p.cache().Alive(p.Now().Sub(p.observed))
	case latest.Model != p.model() || latest.HeadSum != p.HeadSum():
		return true
	default:
		return !p.cache().Alive(p.Now().Sub(latest.Time())) || p.engine.CacheFails() && p.price().Read > 0
	}
}

// carryOut applies a plan to the history and reports it.
func (w *Window) carryOut(plan compression.Plan) error {
	if len(plan.Changes) == 0 {
		return nil
	}
	before := w.Tokens()
	for i := range plan.Changes {
		plan.Changes[i].Number = w.nextNumber(i)
	}
	result := w.engine.Apply(plan)
	w.nameCalls(result.Prunes, w.History.RawHistory())
	if err := w.History.ApplyDensityResult(result); err != nil {
		return fmt.Errorf("density optimisation failed, nothing was sent: %w", err)
	}
	w.Tell(Density{
		Metadata:     result.Metadata,
		Prunes:       w.record(result.Prunes, result.Cut),
		TokensBefore: before,
		TokensAfter:  w.Tokens(),
		Limit:        w.Size(),
		Cut:          result.Cut,
	})
	return nil
}

// takeOut replaces an entry by a shorter one because a person wants that. It returns the number
// of tokens freed.
func (w *Window) takeOut(index int, entry *history.Content, prune history.Prune) (freed int, err error) {
	before := w.Tokens()
	result := history.DensityResult{Replacements: map[int]*history.Content{index: entry}, Prunes: []history.Prune{prune}}
	w.nameCalls(result.Prunes, w.History.RawHistory())
	if err := w.History.ApplyDensityResult(result); err != nil {
		return 0, err
	}
	w.record(result.Prunes, nil)
	return before - w.Tokens(), nil
}

// Stamp returns a reply with metadata about its request. The metadata holds the provider's scale
// of tokens, so that a resumed session shows the same sizes. For a strategy that prunes by price
// it also holds the request, so that the record shows the cost and the savings of pruning.
func (w *Window) Stamp(reply *history.Content) *history.Content {
	model, _ := reply.Metadata[history.MetaModel].(string)
	if ratio, observed := w.calibration.Ratio(model); observed {
		reply = reply.WithMeta(history.MetaScale, ratio)
	}
	request := w.request
	w.request = nil
	pruner, ok := w.pruner()
	if request == nil || !ok {
		return reply
	}
	w.follow(pruner) // before the reply: the cache does not hold content that was compressed meanwhile
	request.Cold = request.Cold || w.engine.Fresh()
	request.Pins = w.engine.Pins()
	return request.Stamp(reply)
}

// Resume continues the record of a conversation whose entries are already in the history. pins
// lists its pinned files. steps are the recorded changes that led to the history; only a strategy
// that prunes by price uses them. Resume returns the first error of steps.
func (w *Window) Resume(pins []string, steps iter.Seq2[history.Step, error]) error {
	for _, path := range pins {
		w.pins[path] = true
	}
	pruner, ok := w.pruner()
	if !ok {
		return nil
	}
	w.engine = w.newEngine(pruner)
	if steps == nil {
		return nil
	}
	for step, err := range steps {
		if err != nil {
			return err
		}
		w.engine.Follow(step)
	}
	return nil
}

// Saved compares the session with one in which nothing was pruned. It returns zero for a strategy
// that keeps no account.
func (p *pruning) Saved() compression.Account {
	if !p.followed() {
		return compression.Account{}
	}
	return p.engine.Account()
}

// followed brings the engine in step with the history outside of a request. It returns false if
// the strategy has no engine.
func (p *pruning) followed() bool {
	pruner, ok := p.pruner()
	if ok {
		p.follow(pruner)
	}
	return ok
}

// Needed notes that the model asked for the content of a line of the ledger, given its number
// from 1. If the content was pruned as cold a moment ago, it is needed after all, and its file
// stays from now on.
func (p *pruning) Needed(number int) error {
	if number < 1 || number > len(p.ledger.prunes) || !p.followed() {
		return nil
	}
	line := p.ledger.prunes[number-1]
	if !p.engine.Regrets(line.Kind, line.Cut) {
		return nil
	}
	return p.KeepFile(number)
}

// KeepFile pins the files of a line of the ledger, given its number from 1, for a strategy that
// prunes by price: otherwise the strategy would take the rest of a file as little used. The pin
// is recorded at once, so that a resumed session decides alike.
func (p *pruning) KeepFile(number int) error {
	if number < 1 || number > len(p.ledger.prunes) || !p.followed() {
		return nil
	}
	for _, file := range p.ledger.prunes[number-1].Paths {
		if !p.engine.Pin(file, true) {
			continue
		}
		p.pins[file] = true
		if err := p.History.Pin(file, true); err != nil {
			return err
		}
	}
	return nil
}

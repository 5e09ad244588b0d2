package window

import (
	"iter"
	"slices"
	"time"

	"agent/internal/compression"
	"agent/internal/history"
	"agent/internal/llm/vendor"
	"agent/internal/settings"
)

// pricing updates the engine of a strategy that weighs prices with the changes of the history.
type pricing struct {
	strategies *strategies
	history    *history.Service
	heads      *HeadBuilder
	models     Models
	now        func() time.Time
	// options are the dependencies of the engine. always holds the facts that are the same for all
	// requests.
	options compression.EngineOptions
	always  compression.RequestFacts
	// pins holds the absolute paths of the pinned files.
	pins map[string]bool

	engine compression.Engine
	// request is the request in preparation. The history stores it in the metadata of the reply.
	request *compression.Request
	// observed is the time of the latest report of a provider about a request.
	observed time.Time
	// warmed is the time of the latest refresh of the cache since the latest request. It is zero if
	// there was none.
	warmed time.Time
}

func newPricing(c Config, strategies *strategies, heads *HeadBuilder, pins map[string]bool) *pricing {
	return &pricing{
		strategies: strategies, history: c.History, heads: heads, models: c.Models, now: c.Now, pins: pins,
		always: compression.RequestFacts{Files: c.Files, FileTexts: c.FileTexts},
		options: compression.EngineOptions{
			Tools:   c.Facts,
			Root:    c.Root,
			Counter: func() history.Counter { return c.Models.Counter(heads.limits.model()) },
			Numbered: func() bool {
				if heads.head.window == 0 { // a resumed conversation, before its first request
					return c.TranscriptPath() != ""
				}
				return heads.recalls()
			},
		},
	}
}

// reset clears the state for a new conversation.
func (p *pricing) reset() {
	p.engine, p.request, p.observed, p.warmed = nil, nil, time.Time{}, time.Time{}
	clear(p.pins)
}

// observe processes a provider's report about the request in preparation.
func (p *pricing) observe(reported ProviderReport) {
	p.observed, p.warmed = p.now(), time.Time{}
	if p.request != nil {
		p.request.Prompt, p.request.Cached = reported.Prompt, reported.Cached
	}
}

// stamp returns a reply with its request in the metadata.
func (p *pricing) stamp(reply *history.Content) *history.Content {
	request := p.request
	p.request = nil
	pruner, ok := p.strategies.pruner()
	if request == nil || !ok {
		return reply
	}
	p.follow(pruner) // before the reply: the cache lacks content that was compressed meanwhile
	request.Cold = request.Cold || p.engine.NothingSent()
	request.Pins = p.engine.Pins()
	return request.Stamp(reply)
}

// resume restores a recorded conversation; see Window.Resume.
func (p *pricing) resume(pins []string, steps iter.Seq2[history.Step, error]) error {
	for _, path := range pins {
		p.pins[path] = true
	}
	pruner, ok := p.strategies.pruner()
	if !ok {
		return nil
	}
	p.engine = pruner.NewEngine(p.options)
	if steps == nil {
		return nil
	}
	for step, err := range steps {
		if err != nil {
			return err
		}
		p.engine.Follow(step)
	}
	return nil
}

// syncEngine updates the engine with the history, outside of a request. It returns false if the
// strategy has no engine.
func (p *pricing) syncEngine() bool {
	pruner, ok := p.strategies.pruner()
	if ok {
		p.follow(pruner)
	}
	return ok
}

// follow updates the engine with the history.
func (p *pricing) follow(strategy compression.Pruner) {
	if p.engine == nil {
		p.engine = strategy.NewEngine(p.options)
		p.engine.SetEntries(p.history.RawHistory())
	} else {
		taught := p.engine.TTLTestPauses()
		p.engine.SetEntries(p.history.RawHistory())
		if p.engine.TTLTestPauses() != taught {
			p.keepLife()
		}
	}
	for path := range p.pins {
		p.engine.Pin(path, true) // again, since the file may only now be in the conversation
	}
}

// keepLife saves the lifetime of the provider's cache for later sessions if the latest reply has shown
// a new lifetime.
func (p *pricing) keepLife() {
	latest, ok := p.engine.Latest()
	if !ok {
		return
	}
	known := p.models.Cache(latest.Model)
	if life := p.engine.CorrectCache(known).Life; life != known.Life {
		p.models.SaveCacheTTL(latest.Model, life)
	}
}

// boundaryPace scales the retention at a boundary, where content before bound reasoning may change. A
// turn has only one boundary, so more content must be pruned there. On 30 recorded sessions the cost
// falls from 0.86 to 0.81 at 0.1.
const boundaryPace = 0.25

// moment returns the facts that decide on pruning before the next request. The price with its step
// comes from the catalog or the settings. The cache lifetime comes from the catalog or the settings and
// from the reports so far. The cache determines whether reasoning is bound. At a boundary of a turn, or
// for another model, bound reasoning does not delay pruning, and unused content is pruned sooner.
func (p *pricing) moment() compression.RequestFacts {
	m := p.always
	m.Price, m.Head, m.Cache, m.At, m.Warmed, m.Cold = p.price(), p.heads.overhead(), p.cache(), p.now(), p.warmed, p.cacheIsCold()
	m.Pace = settings.CompressionPace.Value(p.strategies.settings)
	if m.Kept = p.pastIsKept(); p.isBound() && !m.Kept {
		m.Pace *= boundaryPace
	}
	return m
}

// isBound reports whether pruning has to wait for boundaries, because the model's reasoning depends on
// the content before it.
func (p *pricing) isBound() bool {
	return p.models.Cache(p.model()).Bound && settings.CompressionBoundaries.Value(p.strategies.settings) == "auto"
}

// pastIsKept reports whether pruning has to wait for the end of the turn. It need not wait if another
// model is used, because that model reads none of the reasoning.
func (p *pricing) pastIsKept() bool {
	if !p.isBound() || compression.IsTurnBoundary(p.history.RawHistory()) {
		return false
	}
	if p.engine == nil {
		return true
	}
	latest, ok := p.engine.Latest()
	return !ok || latest.Model == p.model()
}

// cache describes the provider's cache: the known facts about the model's provider, corrected by the
// provider's reports.
func (p *pricing) cache() vendor.Cache { return p.engine.CorrectCache(p.models.Cache(p.model())) }

func (p *pricing) mark(sent []*history.Content) (entries int, ok bool) {
	if p.request == nil || p.engine == nil {
		return 0, false
	}
	mark := p.request.Mark
	if mark == 0 || mark > p.engine.Len() {
		return 0, true
	}
	return slices.Index(sent, p.engine.Entry(mark-1)) + 1, true
}

func (p *pricing) price() compression.Price { return p.models.Price(p.model()) }

func (p *pricing) model() string { return settings.Model.Value(p.strategies.settings) }

// unused returns the time for which the cache was not used, if the latest request used it at a time.
func (p *pricing) unused(at time.Time) time.Duration {
	if p.warmed.After(at) {
		at = p.warmed
	}
	return p.now().Sub(at)
}

// cacheIsCold reports whether the provider's cache cannot contain any part of the next request. It uses
// the recorded requests, not the memory of this process. So a session that is resumed at once decides
// the same as an uninterrupted one.
func (p *pricing) cacheIsCold() bool {
	latest, ok := p.engine.Latest()
	switch {
	case p.engine.NothingSent() && (ok || p.observed.IsZero()):
		return true // never sent, or rebuilt since then
	case !ok:
		return !p.cache().Alive(p.unused(p.observed))
	case latest.Model != p.model() || latest.HeadSum != p.heads.Digest():
		return true
	default:
		return !p.cache().Alive(p.unused(latest.Time())) || p.engine.CacheFails() && p.price().Read > 0
	}
}

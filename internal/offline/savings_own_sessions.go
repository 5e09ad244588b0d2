package offline

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"agent/internal/base/fsutil"
	"agent/internal/chat"
	"agent/internal/compression"
	"agent/internal/history"
	"agent/internal/offline/judge"
	"agent/internal/offline/logs"
	"agent/internal/session"
	"agent/internal/settings"
)

// readSessions reads the spans of a file: a session of this program, a document, or a session of
// another program.
func (s *savings) readSessions(path string, use func(logs.Span, []ownRequest) error) (damaged int, err error) {
	f, err := fsutil.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return 0, cmp.Or(err, errors.New("not a regular file"))
	}
	notes, err := logs.ReadFile(f, func(stretch logs.Span) error { return use(stretch, nil) })
	if !errors.Is(err, logs.ErrUnknown) {
		return notes.Lines, err
	}
	return 0, s.ownSession(path, use)
}

// ownSession reads a log or a document of this program.
func (s *savings) ownSession(path string, use func(logs.Span, []ownRequest) error) error {
	data, err := fsutil.ReadUpTo(path, MaxInput)
	if err != nil {
		return err
	}
	in, _, err := Parse(path, data)
	if err != nil {
		return logs.ErrUnknown
	}
	said, err := in.Said()
	if err != nil {
		return err
	}
	sent, err := s.ownRequests(in)
	if err != nil {
		return err
	}
	for i, entries := range said.Stretches {
		stretch := logs.Span{Agent: ownAgent, Of: session.ParentOf(path), Project: in.WorkspaceRoot, Model: modelOf(in, entries)}
		for _, entry := range entries {
			if at, known := said.At[entry]; known {
				entry = logs.WithTime(entry, at) // the same form of time as in documents
			}
			if at, known := timeOf(entry); known && at.After(stretch.Latest) {
				stretch.Latest = at
			}
			stretch.Entries = append(stretch.Entries, entry)
		}
		if slices.ContainsFunc(entries, func(e *history.Content) bool { return e.Speaker == history.AI }) {
			if err := use(stretch, sent[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// ownAgent is the name of this program in the list of coding agents.
const ownAgent = "agent"

// modelOf returns the model that wrote most of the replies.
func modelOf(in Input, entries []*history.Content) string {
	counts := map[string]int{}
	best := in.Settings["model"]
	for _, entry := range entries {
		if model, _, known := entry.Scale(); known {
			counts[model]++
			if counts[model] > counts[best] {
				best = model
			}
		}
	}
	return best
}

// An ownRequest is a request that this program sent, from its log.
type ownRequest struct {
	// RequestCost is set if cache-aware pruned the request, as pruned reports.
	compression.RequestCost
	pruned bool
	// sent is the size of any other request, and of its cached part.
	sent SentRequest
}

// ownRequests lists the requests of each span of a log. It returns none for a document.
func (s *savings) ownRequests(in Input) ([][]ownRequest, error) {
	if in.Steps == nil {
		return make([][]ownRequest, 1), nil
	}
	engine, err := s.fresh()
	if err != nil {
		return nil, err
	}
	w := engine.newWindow(in, View{})
	counter, cache := engine.Counter(settings.Model.Value(engine.Settings)), chat.CacheOf(engine.Settings, usualLife)
	session := compression.NewEngine(engine.following(in, counter))
	ledger := requests{counter: counter, service: w.History, cache: cache}
	stretches, billed, at := make([][]ownRequest, 1), 0, time.Time{}
	for step, err := range in.Steps {
		if err != nil {
			return nil, err
		}
		var one ownRequest
		reply := step.Kind == history.MutationAdded && step.Entry.Speaker == history.AI
		if reply && step.Entry.Metadata[compression.MetaRequest] == nil {
			r := sentRequest{total: w.Measure.Tokens(), at: at}
			for i := range session.Len() {
				r.entries, r.tokens = append(r.entries, session.Entry(i)), append(r.tokens, w.History.CountContent(session.Entry(i)))
				r.total += r.tokens[i]
			}
			one.sent = SentRequest{Tokens: r.total, Cached: ledger.cachedTokens(r)}
		}
		session.Follow(step)
		at = step.At
		if bills := session.RequestCosts(); reply && len(bills) > billed {
			one, billed = ownRequest{RequestCost: bills[billed], pruned: true}, len(bills)
		}
		if reply {
			stretches[len(stretches)-1] = append(stretches[len(stretches)-1], one)
		}
		if step.Kind == history.MutationCleared {
			stretches, billed, ledger = append(stretches, nil), 0, requests{counter: counter, service: w.History, cache: cache}
		}
	}
	return stretches, nil
}

// following returns the options for an Engine of a session.
func (e *Engine) following(in Input, counter history.Counter) compression.EngineOptions {
	return compression.EngineOptions{Tools: e.ToolTraits(), Root: in.WorkspaceRoot, Counter: func() history.Counter { return counter }}
}

// prunedSaving returns the saving of requests that cache-aware had pruned when they were sent. With
// equals Sent. usd is the price of an input token.
func prunedSaving(sent []ownRequest, needs *judge.Recording, usd float64) Saving {
	saving := Saving{Requests: len(sent)}
	for _, reply := range needs.Replies {
		for _, q := range reply.Quotes {
			if q.Applied {
				saving.Edits++
			}
		}
	}
	p := &saving.Pruned
	for _, r := range sent {
		p.Sent += r.Tokens
		p.Without += r.All
		p.Units += r.Spent
		p.WithoutUnits += r.None
		saving.Missing += len(r.Again)
	}
	p.Cost, p.WithoutCost = p.Units*usd, p.WithoutUnits*usd
	saving.Sent, saving.Units, saving.Cost = p.Sent, p.Units, p.Cost
	saving.With, saving.WithUnits, saving.WithCost = p.Sent, p.Units, p.Cost
	return saving
}

package offline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"agent/internal/base/fsutil"
	"agent/internal/compression"
	"agent/internal/history"
	"agent/internal/llm/vendor"
	"agent/internal/offline/logs"
	"agent/internal/provider/catalogue"
	"agent/internal/settings"
)

// Saving compares the cost of sessions with their cost under cache-aware.
type Saving struct {
	Sessions int `json:"sessions,omitempty"`
	Requests int `json:"requests"`
	// Sent and With are the input tokens of all requests, as recorded and with cache-aware. Units and
	// WithUnits are the same tokens weighted with the prices of the model. A token at its full price
	// weighs 1.
	Sent      int     `json:"sentTokens"`
	With      int     `json:"withTokens"`
	Units     float64 `json:"sentUnits"`
	WithUnits float64 `json:"withUnits"`
	// Cost and WithCost are the costs of the input in USD, or 0 if the price of a model is unknown.
	Cost     float64 `json:"costUSD,omitzero"`
	WithCost float64 `json:"withCostUSD,omitzero"`
	// Edits counts the texts that edits quoted. Of these, Missing counts the texts that would no longer
	// have been in the context when they were needed. With and WithCost include the cost of reading
	// them again.
	Edits   int `json:"edits"`
	Missing int `json:"missing"`
	// Void counts the replies whose reasoning pruning would have made void. It is 0 for models whose
	// reasoning is not bound to the conversation before it.
	Void int `json:"voidReasoning,omitzero"`
	// Pruned describes the part of Sent that this program already pruned with cache-aware when it was
	// sent. With contains the same requests, because they are the result of pruning.
	Pruned PrunedSaving `json:"pruned,omitzero"`
}

// PrunedSaving compares sessions that ran with cache-aware with the same sessions without pruning. Its
// fields are as in Saving.
type PrunedSaving struct {
	Sessions     int     `json:"sessions,omitempty"`
	Sent         int     `json:"sentTokens"`
	Without      int     `json:"withoutTokens"`
	Units        float64 `json:"sentUnits"`
	WithoutUnits float64 `json:"withoutUnits"`
	Cost         float64 `json:"costUSD,omitzero"`
	WithoutCost  float64 `json:"withoutCostUSD,omitzero"`
}

// Relative returns the cost with cache-aware divided by the recorded cost. Both are in USD if prices
// are known.
func (s Saving) Relative() float64 {
	switch {
	case s.Cost > 0:
		return s.WithCost / s.Cost
	case s.Units > 0:
		return s.WithUnits / s.Units
	}
	return 1
}

// add adds another saving, which counts as this number of sessions.
func (s *Saving) add(t Saving, sessions int) {
	s.Sessions += sessions
	s.Requests += t.Requests
	s.Sent += t.Sent
	s.With += t.With
	s.Units += t.Units
	s.WithUnits += t.WithUnits
	s.Cost += t.Cost
	s.WithCost += t.WithCost
	s.Edits += t.Edits
	s.Missing += t.Missing
	s.Void += t.Void
	if t.Pruned.Sent > 0 {
		s.Pruned.Sessions += sessions
		s.Pruned.Sent += t.Pruned.Sent
		s.Pruned.Without += t.Pruned.Without
		s.Pruned.Units += t.Pruned.Units
		s.Pruned.WithoutUnits += t.Pruned.WithoutUnits
		s.Pruned.Cost += t.Pruned.Cost
		s.Pruned.WithoutCost += t.Pruned.WithoutCost
	}
}

// SessionSaving is the saving of one session.
type SessionSaving struct {
	Agent   string `json:"agent"`
	File    string `json:"file"`
	Project string `json:"project"`
	Model   string `json:"model"`
	// Of is the id of the session that started this one as a subagent, which is then not counted again.
	// It is "" for a session of a user.
	Of     string    `json:"of,omitempty"`
	Latest time.Time `json:"latest,omitzero"`
	Saving
}

// sessions returns the number of user sessions that the session counts as.
func (s SessionSaving) sessions() int {
	if s.Of != "" {
		return 0
	}
	return 1
}

// NamedSaving is the saving of the sessions with the same project, model or coding agent.
type NamedSaving struct {
	Name string `json:"name"`
	Saving
}

// Skipped names a file that was not used, or only in part, with the reason.
type Skipped struct {
	File   string `json:"file"`
	Reason string `json:"reason"`
}

// Savings contains the savings of many sessions.
type Savings struct {
	Days int `json:"days,omitempty"`
	// Older counts the sessions omitted because they ended too early. LatestOlder is the latest end of
	// these sessions.
	Older       int       `json:"older,omitempty"`
	LatestOlder time.Time `json:"latestOlder,omitzero"`

	Total    Saving          `json:"total"`
	Sessions []SessionSaving `json:"sessions"`
	Skipped  []Skipped       `json:"skipped"`
	Projects []NamedSaving   `json:"projects"`
	Models   []NamedSaving   `json:"models"`
	Agents   []NamedSaving   `json:"agents"`
}

// CountExcluded counts a session that ended too early.
func (s *Savings) CountExcluded(ended time.Time) {
	s.Older++
	if ended.After(s.LatestOlder) {
		s.LatestOlder = ended
	}
}

// SavingsOptions selects the sessions that count.
type SavingsOptions struct {
	// Since excludes sessions that ended earlier. If zero, none are excluded.
	Since time.Time
	// Done is called with the size of each file that was read, in bytes, from several goroutines.
	// It may be nil.
	Done func(bytes int64)
}

// FindSavings replays the sessions in files and sums up their costs with and without cache-aware. An
// unusable file is listed in the result and is not an error. An error comes from ctx or from fresh.
func FindSavings(ctx context.Context, files []logs.File, o SavingsOptions, fresh func() (*Engine, error)) (*Savings, error) {
	found := &savings{options: o, fresh: fresh}
	all, ctx := errgroup.WithContext(ctx)
	all.SetLimit(runtime.GOMAXPROCS(0))
	for _, file := range files {
		all.Go(func() error {
			err := found.file(ctx, file)
			if o.Done != nil {
				o.Done(file.Size)
			}
			return err
		})
	}
	if err := all.Wait(); err != nil {
		return nil, err
	}
	return found.report(), nil
}

// maxSessionBytes is the size in bytes of the largest session that FindSavingsWithin reads.
const maxSessionBytes = 8 << 20

// FindSavingsWithin does the same as FindSavings within a time limit. It begins with the session that
// was changed last, and omits the sessions that are not finished at the end of the limit. all reports
// whether none was omitted.
func FindSavingsWithin(ctx context.Context, limit time.Duration, files []logs.File, o SavingsOptions, fresh func() (*Engine, error)) (found *Savings, all bool) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	some := &savings{options: o, fresh: fresh}
	latest := slices.SortedFunc(slices.Values(files), func(a, b logs.File) int { return b.Changed.Compare(a.Changed) })
	all = true
	for _, file := range latest {
		if file.Size > maxSessionBytes || some.file(ctx, file) != nil {
			all = false
		}
	}
	return some.report(), all
}

// savings collects the results of several goroutines.
type savings struct {
	options SavingsOptions
	fresh   func() (*Engine, error)

	mu       sync.Mutex
	sessions []SessionSaving
	skipped  []Skipped
	// older contains the ends of the sessions that ended too early.
	older []time.Time
}

func (s *savings) skip(file, reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.skipped = append(s.skipped, Skipped{file, reason})
}

// file adds the sessions in a file. Sessions of one model in one file count as one session, however
// often the session was compacted.
func (s *savings) file(ctx context.Context, file logs.File) error {
	var of []SessionSaving
	var broken error
	var older time.Time
	lines, err := s.readSessions(file.Path, func(stretch logs.Span, sent []ownRequest) error {
		if !stretch.Latest.IsZero() && stretch.Latest.Before(s.options.Since) {
			older = stretch.Latest
			return nil
		}
		saving, err := s.replay(ctx, file.Path, stretch, sent)
		if err != nil {
			broken = err
			return err
		}
		if i := slices.IndexFunc(of, func(e SessionSaving) bool { return e.Model == stretch.Model && e.Of == stretch.Of }); i >= 0 {
			of[i].Saving.add(saving, 0)
			of[i].Latest = stretch.Latest
			return nil
		}
		of = append(of, SessionSaving{stretch.Agent, file.Path, stretch.Project, stretch.Model, stretch.Of, stretch.Latest, saving})
		return nil
	})
	var invalid *history.InvalidHistoryError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(broken, &invalid):
		err = broken
	case broken != nil:
		return broken
	}
	if err != nil {
		s.skip(file.Path, reasonOf(err))
	} else if lines > 0 {
		s.skip(file.Path, fmt.Sprintf("%d damaged lines were skipped", lines))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sessions = append(s.sessions, of...)
	if len(of) == 0 && !older.IsZero() {
		s.older = append(s.older, older)
	}
	return nil
}

// reasonOf returns the text of an error without the path, which is shown separately.
func reasonOf(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		return fsutil.Reason(err).Error()
	}
	return err.Error()
}

// replay computes the requests of a span twice: without pruning, and with the strategy cache-aware.
// sent lists the requests of a log of this program. If cache-aware made all of these, replay uses them
// and computes nothing.
func (s *savings) replay(ctx context.Context, path string, stretch logs.Span, sent []ownRequest) (Saving, error) {
	known, _ := catalogue.LookupByMaker(stretch.Model)
	prices := cmp.Or(known.Prices, &settings.Prices{})
	usd := prices.Input / 1e6
	in := Input{Name: path, WorkspaceRoot: stretch.Project, History: stretch.Entries, Said: saidOnce(stretch.Entries)}
	r, err := NewRecording(in, s.fresh)
	if err != nil {
		return Saving{}, err
	}
	if settings.ReasoningBound.Value(r.settings) == "auto" {
		r.cache.Bound = vendor.BoundReasoningOf(stretch.Model).Prefix()
	}
	if len(sent) > 0 && !slices.ContainsFunc(sent, func(r ownRequest) bool { return !r.pruned }) {
		return prunedSaving(sent, r.Stretches[0].Needs, usd), nil
	}
	saving := Saving{}
	for _, v := range Strategies() {
		if !v.sendsEverything() && !v.priced() {
			continue
		}
		one := &run{Recording: r, variant: v, model: PriceModel{Name: stretch.Model, Price: compression.NewPrice(prices.Input, prices.CacheRead, prices.CacheWrite)}}
		if err := one.all(ctx); err != nil {
			return Saving{}, fmt.Errorf("can't replay %s with %s: %w", path, v.Name, err)
		}
		weighed := 0.0
		for _, sent := range one.sent {
			weighed += one.model.units(sent)
		}
		if v.sendsEverything() {
			saving.Requests, saving.Sent, saving.Units = one.figures.Requests, one.figures.TotalInput, weighed
			if len(sent) > 0 { // another strategy of this program pruned the session
				saving.Sent, saving.Units = 0, 0
				for _, r := range sent {
					saving.Sent += r.Tokens + r.sent.Tokens
					saving.Units += r.Spent + one.model.units(r.sent)
				}
			}
			continue
		}
		saving.With, saving.WithUnits = one.figures.TotalInput, weighed
		saving.Edits, saving.Missing = one.figures.Edits, one.figures.Blinded
		saving.Void = one.figures.Void
	}
	saving.Cost, saving.WithCost = saving.Units*usd, saving.WithUnits*usd
	return saving, nil
}

func (s *savings) report() *Savings {
	r := &Savings{Sessions: append([]SessionSaving{}, s.sessions...), Skipped: append([]Skipped{}, s.skipped...)}
	slices.SortFunc(r.Sessions, func(a, b SessionSaving) int {
		return cmp.Or(b.Latest.Compare(a.Latest), cmp.Compare(a.File, b.File), cmp.Compare(a.Model, b.Model))
	})
	slices.SortFunc(r.Skipped, func(a, b Skipped) int { return cmp.Compare(a.File, b.File) })
	for _, e := range r.Sessions {
		r.Total.add(e.Saving, e.sessions())
	}
	for _, ended := range s.older {
		r.CountExcluded(ended)
	}
	r.Projects = group(r.Sessions, func(e SessionSaving) string { return e.Project })
	r.Models = group(r.Sessions, func(e SessionSaving) string { return e.Model })
	r.Agents = group(r.Sessions, func(e SessionSaving) string { return e.Agent })
	return r
}

// group sums up sessions by name, and sorts the names by cost, the highest first.
func group(sessions []SessionSaving, name func(SessionSaving) string) []NamedSaving {
	groups := []NamedSaving{}
	for _, e := range sessions {
		n := cmp.Or(name(e), "unknown")
		i := slices.IndexFunc(groups, func(g NamedSaving) bool { return g.Name == n })
		if i < 0 {
			i = len(groups)
			groups = append(groups, NamedSaving{Name: n})
		}
		groups[i].add(e.Saving, e.sessions())
	}
	slices.SortStableFunc(groups, func(a, b NamedSaving) int {
		return cmp.Or(cmp.Compare(b.Units, a.Units), cmp.Compare(a.Name, b.Name))
	})
	return groups
}

package offline

import (
	"context"
	"fmt"

	"agent/internal/chat"
	"agent/internal/history"
	"agent/internal/settings"
)

// Replay runs a recording under every variant. Fresh returns an engine with
// settings of its own, as the user has them, for a variant to change.
func Replay(ctx context.Context, in Input, fresh func() (*Engine, error)) (*Report, error) {
	report := &Report{File: in.Name, Entries: len(in.History)}
	in.History = history.Repair(in.History, "no answer was recorded")
	for _, v := range Variants() {
		account, err := replayVariant(ctx, v, in, fresh)
		if err != nil {
			return nil, fmt.Errorf("replaying %s with %s: %w", in.Name, v.Name, err)
		}
		report.Variants = append(report.Variants, *account)
	}
	for i := range report.Variants {
		report.Variants[i].price(report.Variants[0])
	}
	return report, nil
}

func replayVariant(ctx context.Context, v Variant, in Input, fresh func() (*Engine, error)) (*Account, error) {
	engine, err := fresh()
	if err != nil {
		return nil, err
	}
	if err := engine.configure(&in); err != nil {
		return nil, err
	}
	for _, pair := range v.Set {
		if err := engine.Settings.Set(settings.Session, pair[0], pair[1]); err != nil {
			return nil, err
		}
	}
	account := &Account{Name: v.Name}
	counter := engine.Counter(engine.Settings.Model())
	service := history.NewService(counter, nil)
	loop := chat.New(chat.Config{
		Counter:      engine.Counter,
		Tools:        engine.Tools,
		Root:         in.WorkspaceRoot,
		History:      service,
		Settings:     engine.Settings,
		ContextLimit: func(string) (int, bool) { return 0, false },
		System:       func() string { return engine.System },
		Emit:         account.note,
		Now:          engine.Now,
	})
	ledger := requests{counter: counter, service: service}
	for _, entry := range in.History {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if entry.Speaker == history.AI {
			start := engine.Now()
			request, err := loop.PrepareRequest(ctx)
			if err != nil {
				return nil, err
			}
			account.PreSend += engine.Now().Sub(start)
			_, tokens := service.Curated()
			ledger.add(account, loop.Tokens(), request.History, tokens)
			account.countEdits(entry, request.History)
		}
		if err := loop.Record(entry); err != nil {
			return nil, err
		}
	}
	return account, nil
}

// note counts what the pre-send window reports.
func (a *Account) note(e chat.Event) {
	switch e := e.(type) {
	case chat.DensityApplied:
		a.Pruned.ReadWritePairsPruned += e.Metadata.ReadWritePairsPruned
		a.Pruned.FileDeduplicationsPruned += e.Metadata.FileDeduplicationsPruned
		a.Pruned.RecencyPruned += e.Metadata.RecencyPruned
	case chat.Compressed:
		if e.Applied {
			a.Compressions++
		}
	}
}

// price works out the cost under every model, relative to first.
func (a *Account) price(first Account) {
	for _, m := range PriceModels() {
		units, reference := a.units(m), first.units(m)
		a.Cost = append(a.Cost, Cost{Model: m.Name, Units: units, Relative: units / max(1, reference)})
	}
}

func (a *Account) units(m PriceModel) float64 {
	return float64(a.CachedInput)*m.Read + float64(a.TotalInput-a.CachedInput)*m.Write
}

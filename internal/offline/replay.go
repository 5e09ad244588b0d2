package offline

import (
	"context"
	"fmt"
	"time"

	"agent/internal/chat"
	"agent/internal/chat/window"
	"agent/internal/compression"
	"agent/internal/history"
	"agent/internal/settings"
)

// Replay runs a recording under every variant. Fresh returns an engine with
// settings of its own, as the user has them, for a variant to change.
func Replay(ctx context.Context, in Input, fresh func() (*Engine, error)) (*Report, error) {
	report := &Report{File: in.Name}
	stretches := make([][]*history.Content, len(in.Recorded))
	for i, stretch := range in.Recorded {
		report.Entries += len(stretch)
		stretches[i] = history.Repair(stretch, "no answer was recorded")
	}
	in.Recorded = stretches
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
	account := &Account{Name: v.Name, Pruned: compression.CountsOf(nil)}
	w := engine.newWindow(in, chat.Head(engine.Tools, engine.System), account.note)
	counter := engine.Counter(settings.Model.Of(engine.Settings))
	counter.Count("any text") // the vocabulary loads at the first use, which is no part of any request
	ledger := requests{counter: counter, service: w.History}
	for i, stretch := range in.Recorded {
		if i > 0 {
			if err := w.History.Clear(); err != nil {
				return nil, err
			}
		}
		for _, entry := range stretch {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if entry.Speaker == history.AI {
				if err := account.request(ctx, w, engine.Now, &ledger, entry); err != nil {
					return nil, err
				}
			}
			if entry.Speaker == history.AI {
				entry = w.Stamp(entry)
			}
			if err := w.History.Add(entry); err != nil {
				return nil, err
			}
		}
	}
	account.Compressions = w.Compressions()
	return account, nil
}

// request accounts for the request that reply answered.
func (a *Account) request(ctx context.Context, w *window.Window, now func() time.Time, ledger *requests, reply *history.Content) error {
	start := now()
	if err := chat.EnsureCompressionBeforeSend(ctx, w); err != nil {
		return err
	}
	a.PreSend += now().Sub(start)
	entries, tokens := w.History.Curated()
	if err := history.Validate(entries); err != nil {
		return err
	}
	ledger.add(a, w.Tokens(), entries, tokens)
	a.countEdits(reply, entries)
	return nil
}

// note counts what density reports.
func (a *Account) note(step window.Step) {
	if e, ok := step.(window.Density); ok {
		a.Pruned = a.Pruned.Plus(e.Metadata)
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

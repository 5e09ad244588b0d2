package offline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"agent/internal/base/fsutil"
	"agent/internal/base/humanize"
	"agent/internal/chat"
	"agent/internal/chat/provenance"
	"agent/internal/chat/window"
	"agent/internal/compression"
	"agent/internal/history"
	"agent/internal/llm/vendor"
	"agent/internal/settings"
)

// Explanation describes the work of the pre-send window before the next request.
type Explanation struct {
	Strategy string `json:"strategy"`
	// TokensBefore and TokensAfter are sizes of the whole request, with system prompt and tools. Limit
	// is the context window, and Threshold the size at which compression is due.
	TokensBefore int `json:"tokensBefore"`
	TokensAfter  int `json:"tokensAfter"`
	Limit        int `json:"limit"`
	Threshold    int `json:"threshold"`
	// Cost is the cost of the request after pruning, in tokens at the full price of input. Without is
	// its cost if nothing had ever been pruned. Dollars and DollarsWithout are the same in USD, if the
	// price is known. All are 0 if the strategy does no cost accounting.
	Cost           float64 `json:"cost,omitzero"`
	Without        float64 `json:"costWithoutPruning,omitzero"`
	Dollars        float64 `json:"costDollars,omitzero"`
	DollarsWithout float64 `json:"costWithoutPruningDollars,omitzero"`
	// Cold is set if nothing of the request is cached.
	Cold bool `json:"cold,omitzero"`
	// Steps lists the steps of the window, one per line.
	Steps []string `json:"steps"`
	// Problem is the reason why the request could not be sent, or not be fully predicted without a
	// model; usually "".
	Problem string       `json:"problem,omitempty"`
	Leaves  []PrunedPart `json:"leaves"`
	// Stays lists the parts that pruning could remove but would not.
	Stays []KeptPart `json:"stays"`
}

// PrunedPart is a part of the context that would be pruned.
type PrunedPart struct {
	Kind    string `json:"kind"`
	Tool    string `json:"tool,omitempty"`
	Subject string `json:"subject"`
	Reason  string `json:"reason"`
	Tokens  int    `json:"tokens"`
	// Cut is the price of the pruning pass that removes the part, if the strategy weighs prices.
	Cut *history.PruningCost `json:"cut,omitempty"`
}

// KeptPart is a part of the context that would be kept.
type KeptPart struct {
	Kind    string `json:"kind"`
	Class   string `json:"class,omitempty"`
	Subject string `json:"subject"`
	Reason  string `json:"reason"`
	Tokens  int    `json:"tokens"`
	// Held is set if pruning may remove the part but keeps it for now. Pinned is set if the user pinned
	// it.
	Held   bool `json:"held"`
	Pinned bool `json:"pinned"`
}

// Explain prepares the next request of a session as if the session were resumed now, but sends nothing.
// It lists the parts that would be pruned, and why the others would be kept.
func (e *Engine) Explain(ctx context.Context, in Input) (*Explanation, error) {
	out := &Explanation{Steps: []string{}, Leaves: []PrunedPart{}, Stays: []KeptPart{}}
	w, err := e.resumedWindow(&in, View{OnStep: out.addStep})
	if err != nil {
		return nil, err
	}
	earlier := len(in.Prunes)
	strategy, err := w.ActiveStrategy()
	if err != nil {
		return nil, err
	}
	out.Strategy, out.TokensBefore, out.Limit, out.Threshold = strategy.Name(), w.Measure.Tokens(), w.Limits.Size(), w.Limits.CompressionThreshold(strategy)
	switch err := chat.EnsureCompressionBeforeSend(ctx, w); {
	case errors.Is(err, compression.ErrNoSummarizer):
		out.Problem = "the next request needs compression; its summary can't be shown in advance"
	case err != nil:
		out.Problem = err.Error()
	}
	out.TokensAfter = w.Measure.Tokens()
	out.take(w, w.Ledger.Lines()[earlier:], in.WorkspaceRoot)
	if next, ok := w.Costs.NextCost(); ok {
		out.Cost, out.Without, out.Cold = next.Spent, next.None, next.Cold
		if prices, ok := settings.InputPricesOf(e.Settings, nil); ok {
			const million = 1_000_000
			out.Dollars, out.DollarsWithout = next.Spent*prices.Input/million, next.None*prices.Input/million
		}
	}
	return out, nil
}

// resumedWindow returns the window of a session that is resumed now, before its next request.
func (e *Engine) resumedWindow(in *Input, v View) (*window.Window, error) {
	v.Price, v.Cache = e.price, func(string) vendor.Cache { return chat.CacheOf(e.Settings, 0) }
	w, err := e.Window(in, v)
	if err != nil {
		return nil, err
	}
	if err := w.History.Restore(history.Repair(in.History, "no answer is recorded")); err != nil {
		return nil, err
	}
	w.Ledger.Restore(in.Prunes, in.Turn)
	w.Measure.Calibrate(in.Scales)
	return w, w.Resume(in.Pins, in.Steps)
}

// TraceText traces a text or a file in a session that is resumed now.
func (e *Engine) TraceText(ctx context.Context, in Input, question string) (*provenance.Answer, error) {
	next, err := e.NextRequest(in)
	if err != nil {
		return nil, err
	}
	return next.Ask(ctx, question)
}

// NextRequest returns the next request of a session that is resumed now, for questions about it.
func (e *Engine) NextRequest(in Input) (*provenance.NextRequest, error) {
	if in.Steps != nil {
		in.Steps = provenance.CacheSteps(in.Steps)
	}
	next := &provenance.NextRequest{Before: chat.EnsureCompressionBeforeSend, Steps: in.Steps}
	var err error
	if next.Window, err = e.resumedWindow(&in, View{Observe: next.Observe}); err != nil {
		return nil, err
	}
	next.Model, next.Facts, next.Root = settings.Model.Value(e.Settings), e.ToolTraits(), in.WorkspaceRoot
	next.Count = e.Counter(next.Model).Count
	return next, nil
}

// price returns the price in the settings, or a safe price if none is set.
func (e *Engine) price(string) compression.Price {
	prices, _ := settings.InputPricesOf(e.Settings, nil)
	return compression.NewPrice(prices.Input, prices.CacheRead, prices.CacheWrite)
}

func (x *Explanation) addStep(step window.Step) {
	switch step := step.(type) {
	case window.Density:
		x.Steps = append(x.Steps, chat.DensityApplied(step).String())
	case window.Compression:
		x.Steps = append(x.Steps, chat.Compressed(step).String())
	}
}

// take lists the parts that were just removed from the context of w, and the remaining parts.
func (x *Explanation) take(w *window.Window, left []window.Prune, root string) {
	for _, p := range left {
		x.Leaves = append(x.Leaves, PrunedPart{string(p.Kind), p.Tool, fsutil.ShortenPaths(p.Subject, root), p.Reason, p.Tokens, p.Cut})
	}
	for _, h := range w.Contents.PrunableParts("") {
		x.Stays = append(x.Stays, KeptPart{h.Kind, h.Class, fsutil.ShortenPaths(h.Subject, root), h.Reason, h.Tokens, h.Waiting, h.Pinned})
	}
}

// Print writes the explanation for people.
func (x *Explanation) Print(out io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "The next request with the strategy %s: %s of %s tokens (%s), compression at %s\n",
		x.Strategy, humanize.Tokens(x.TokensBefore), humanize.Tokens(x.Limit), share(x.TokensBefore, x.Limit), humanize.Tokens(x.Threshold))
	for _, step := range x.Steps {
		fmt.Fprintln(&b, step)
	}
	if x.Without > 0 {
		fmt.Fprintln(&b, x.price())
	}
	if x.Problem != "" {
		fmt.Fprintln(&b, x.Problem)
	}
	var leaves, held, used []KeptPart
	var cuts []string
	var cut *history.PruningCost
	for _, l := range x.Leaves {
		if l.Cut != nil && l.Cut != cut {
			cut = l.Cut
			cuts = append(cuts, fmt.Sprintf("  pruning pass: %s; earlier savings left to spend: %s\n", x.priceOf(cut), x.money(cut.Bank)))
		}
		leaves = append(leaves, KeptPart{Kind: l.Kind, Subject: l.Subject, Reason: l.Reason, Tokens: l.Tokens})
	}
	for _, s := range x.Stays {
		if s.Held || s.Pinned {
			held = append(held, s)
		} else {
			used = append(used, s)
		}
	}
	printLargest(&b, "To prune", leaves, 6, cuts...)
	printLargest(&b, "Kept for now (pinned, or pruning is postponed)", held, 4)
	printLargest(&b, "Kept", used, 4)
	_, err := io.WriteString(out, b.String())
	return err
}

// price describes the cost of the request.
func (x *Explanation) price() string {
	cost := x.money(x.Cost)
	if x.Dollars == 0 {
		cost += " tokens at full price"
	}
	if x.Cold {
		cost += ", because nothing is cached"
	}
	return "It costs " + cost + ". Without the pruning so far it would cost " + x.money(x.Without)
}

// money formats a cost in USD if the price is known, or otherwise in tokens at the full price.
func (x *Explanation) money(cost float64) string {
	if x.Dollars > 0 {
		return humanize.Dollars(cost * x.Dollars / x.Cost)
	}
	return humanize.Tokens(int(cost))
}

// priceOf describes the cost and the saving of a pruning pass.
func (x *Explanation) priceOf(cut *history.PruningCost) string {
	if cut.Paid <= 0 {
		return "saves from the next request on"
	}
	return fmt.Sprintf("costs %s now, saves %s per request, pays back after %s", x.money(cut.Paid), x.money(cut.Saves), humanize.Count(cut.Back, "request"))
}

// maxSubject limits the length of a subject in a line, in characters.
const maxSubject = 80

// printLargest writes the sum of some parts of the context, details about them, and the largest parts.
// It lists at most most parts, so that the whole explanation fits on a screen.
func printLargest(b *strings.Builder, title string, parts []KeptPart, most int, about ...string) {
	tokens := 0
	for _, p := range parts {
		tokens += p.Tokens
	}
	fmt.Fprintf(b, "\n%s: %s, %s tokens\n%s", title, humanize.Count(len(parts), "part"), humanize.Tokens(tokens), strings.Join(about, ""))
	slices.SortStableFunc(parts, func(x, y KeptPart) int { return cmp.Compare(y.Tokens, x.Tokens) })
	for _, p := range parts[:min(most, len(parts))] {
		fmt.Fprintf(b, "%7s  %-10s %s: %s\n", humanize.Tokens(p.Tokens), cmp.Or(p.Class, p.Kind), humanize.Line(p.Subject, maxSubject), p.Reason)
	}
	if rest := len(parts) - most; rest > 0 {
		fmt.Fprintf(b, "         and %d more; --json lists all\n", rest)
	}
}

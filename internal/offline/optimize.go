package offline

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"agent/internal/base/humanize"
	"agent/internal/compression"
	"agent/internal/history"
)

// Optimization is the outcome of Optimize: the pruned parts of a history.
type Optimization struct {
	Removals     []int                       `json:"removals"`
	Replacements map[string]*history.Content `json:"replacements"`
	Metadata     history.PruneCounts         `json:"metadata"`
	// TokensBefore and TokensAfter are sizes of the history alone.
	TokensBefore int `json:"tokensBefore"`
	TokensAfter  int `json:"tokensAfter"`

	// Instead is the active strategy if it needs prices. A document has no prices, so high-density
	// optimizes it instead (D-90).
	Instead string `json:"-"`

	prunes []history.Prune
}

// Optimize runs the density phases of the active strategy once.
func (e *Engine) Optimize(in Input) (*Optimization, error) {
	p, err := e.prepare(in)
	if err != nil {
		return nil, err
	}
	out := &Optimization{Removals: []int{}, Replacements: map[string]*history.Content{}, Metadata: compression.CountsOf(nil), TokensBefore: p.window.History.TotalTokens()}
	strategy := p.strategy
	if _, prices := strategy.(compression.Pruner); prices {
		out.Instead = strategy.Name()
		if strategy, err = compression.Get(compression.DefaultName); err != nil {
			return nil, err
		}
	}
	if optimizer, ok := strategy.(compression.Optimizer); ok {
		result, err := optimizer.Optimize(p.History, p.window.Staleness.Config())
		if err != nil {
			return nil, err
		}
		if err := p.window.History.ApplyDensityResult(result); err != nil {
			return nil, err
		}
		out.take(result)
	}
	out.TokensAfter = p.window.History.TotalTokens()
	return out, nil
}

func (o *Optimization) take(r history.DensityResult) {
	o.Removals = append(o.Removals, r.Removals...)
	slices.Sort(o.Removals)
	for i, c := range r.Replacements {
		o.Replacements[strconv.Itoa(i)] = c
	}
	o.Metadata, o.prunes = r.Metadata, r.Prunes
}

// Print writes the outcome for people.
func (o *Optimization) Print(out io.Writer) error {
	var pruned []string
	for _, c := range o.Metadata {
		pruned = append(pruned, fmt.Sprintf("%d %s", c.N, c.Many))
	}
	_, err := fmt.Fprintf(out, "%s: %d entries removed, %d edited\n%d → %d tokens\n",
		strings.Join(pruned, ", "), len(o.Removals), len(o.Replacements), o.TokensBefore, o.TokensAfter)
	for _, p := range o.prunes {
		if err == nil {
			_, err = fmt.Fprintf(out, "  entry %-5d %-14s %s: %s\n", p.Entry, p.Kind, humanize.Line(p.Subject, 100), p.Reason)
		}
	}
	return err
}

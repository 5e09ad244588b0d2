package offline

import (
	"context"
	"fmt"
	"io"

	"agent/internal/compression"
	"agent/internal/history"
	"agent/internal/settings"
)

// Compression is the outcome of one compression.
type Compression struct {
	// Kind is "applied" or "noop". Reason is why nothing was done.
	Kind       string                     `json:"kind"`
	Reason     string                     `json:"reason,omitempty"`
	NewHistory []*history.Content         `json:"newHistory"`
	Metadata   compression.ResultMetadata `json:"metadata"`
	// TokensBefore and TokensAfter are sizes of the history alone.
	TokensBefore int `json:"tokensBefore"`
	TokensAfter  int `json:"tokensAfter"`
}

// Compress runs the active strategy's compression once, whatever the threshold.
func (e *Engine) Compress(ctx context.Context, in Input) (*Compression, error) {
	p, err := e.prepare(in)
	if err != nil {
		return nil, err
	}
	if p.strategy.RequiresLLM() {
		return nil, fmt.Errorf("strategy %s needs a model. Choose another: --set %s=%s", p.strategy.Name(), settings.CompressionStrategy.Key(), compression.DefaultName)
	}
	entries, tokens := p.window.History.Curated()
	input := p.window.CompressionContext(p.strategy, entries, tokens)
	input.Reserve = 0 // no reply to a document is requested
	result, err := p.strategy.Compress(ctx, input)
	if err != nil {
		return nil, err
	}
	out := &Compression{Kind: "applied", Reason: result.Reason, NewHistory: result.NewHistory, Metadata: result.Metadata, TokensBefore: result.TokensBefore, TokensAfter: result.TokensAfter}
	if !result.Applied {
		out.Kind = "noop"
	}
	return out, nil
}

// Print writes the outcome for people.
func (c *Compression) Print(out io.Writer) error {
	if c.Kind == "noop" {
		_, err := fmt.Fprintf(out, "not compressed: %s (%d tokens)\n", c.Reason, c.TokensBefore)
		return err
	}
	_, err := fmt.Fprintf(out, "%s: %d → %d entries, %d → %d tokens\n", c.Metadata.StrategyUsed,
		c.Metadata.OriginalMessageCount, c.Metadata.CompressedMessageCount, c.TokensBefore, c.TokensAfter)
	return err
}

package chat

import (
	"fmt"
	"strings"

	"agent/internal/base/humanize"
	"agent/internal/chat/window"
)

// emitStep emits the steps of the pre-send window as events and notices.
func (c *Chat) emitStep(step window.Step) {
	c.stats.cache.step(step)
	switch step := step.(type) {
	case window.Density:
		c.emit(DensityApplied(step))
	case window.Compression:
		c.emit(Compressed(step))
	case window.HeadChosen:
		c.emit.notice("%s", headText(step))
	case window.Truncation:
		c.emit.notice("%s", cutText(step))
	case window.Refusal:
		c.emit.notice("The model refused a request of %s tokens as too long. agent now uses a context limit of %s. To change the limit, set context-limit",
			humanize.Tokens(step.Tokens), humanize.Tokens(step.Limit))
	}
	c.emitStatus()
}

// cutText returns the warning that the server truncated the prompt, or that its token count cannot be
// correct.
func cutText(cut window.Truncation) string {
	if cut.Limit == 0 {
		return fmt.Sprintf("The server reports %s tokens for a request of about %s. agent uses estimates instead, so costs may be wrong",
			humanize.Tokens(cut.Reported), humanize.Tokens(cut.Tokens))
	}
	return fmt.Sprintf("THE SERVER CUT THE PROMPT to %s of about %s tokens; the model did not see the rest. Start the server with a larger context window (Ollama: OLLAMA_CONTEXT_LENGTH=32768 ollama serve). Until then the context limit is %s.",
		humanize.Tokens(cut.Limit), humanize.Tokens(cut.Tokens), humanize.Tokens(cut.Limit))
}

// headText returns the notice about the system prompt and the tools that fit into the context window.
func headText(head window.HeadChosen) string {
	var parts []string
	if head.Lean {
		parts = append(parts, "a short prompt and only the essential tools are used ("+strings.Join(head.Tools, ", ")+")")
	}
	if head.Cut {
		parts = append(parts, "AGENTS.md instructions are shortened")
	}
	if len(parts) == 0 {
		return fmt.Sprintf("The context window of %s tokens fits the whole prompt and all tools", humanize.Tokens(head.Limit))
	}
	return fmt.Sprintf("Small context window (%s tokens): %s. Prompt and tools take %s. If the model allows it, raise context-limit",
		humanize.Tokens(head.Limit), strings.Join(parts, ", and "), humanize.Tokens(head.Tokens))
}

// String returns the event in one line for the screen: "pruned 12.3k tokens: 4 stale reads, 1 duplicate
// file (41% → 31%)". The number of tokens is the same as in the ledger.
func (e DensityApplied) String() string {
	return fmt.Sprintf("pruned %s tokens: %s%s", humanize.Tokens(e.PrunedTokens()), e.Metadata, shares(e.TokensBefore, e.TokensAfter, e.Limit))
}

// PrunedTokens returns the number of pruned tokens, as in the ledger.
func (e DensityApplied) PrunedTokens() int { return window.Density(e).PrunedTokens() }

// String returns the event in one line.
func (e Compressed) String() string {
	switch {
	case e.Failed:
		return fmt.Sprintf("Compression (%s) failed: %s. Continuing without a summary", e.Strategy, e.Reason)
	case !e.Applied:
		return fmt.Sprintf("compression (%s) changed nothing: %s", e.Strategy, e.Reason)
	}
	by := e.Strategy
	if e.Reason != "" {
		by = e.Reason
	}
	return fmt.Sprintf("compression (%s): %s", by, describeSaving(e.TokensBefore, e.TokensAfter, e.Limit))
}

// describeSaving describes how much a change of the context saved: "−12.3k tokens (41% → 31%)". It
// omits the percentages if they are equal.
func describeSaving(before, after, limit int) string {
	sign, n := "−", before-after
	if n < 0 {
		sign, n = "+", -n
	}
	return sign + humanize.Tokens(n) + " tokens" + shares(before, after, limit)
}

// shares returns the percentages of the context window before and after, or "" if they are equal.
func shares(before, after, limit int) string {
	if from, to := Percent(before, limit), Percent(after, limit); from != to {
		return fmt.Sprintf(" (%d%% → %d%%)", from, to)
	}
	return ""
}

// Percent returns part as a percentage of whole, rounded.
func Percent(part, whole int) int { return (100*part + whole/2) / max(1, whole) }

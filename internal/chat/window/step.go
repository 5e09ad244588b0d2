package window

import "agent/internal/history"

// A Step is an action or a finding of a Window. Sizes are in tokens as the provider counts them.
type Step interface{ step() }

// Density reports that pruning made the context smaller.
type Density struct {
	Metadata     history.PruneCounts
	Prunes       []Prune
	TokensBefore int
	TokensAfter  int
	Limit        int
	// Cut holds the cost and the savings of the pruning. It is nil for a strategy that does not weigh
	// them.
	Cut *history.PruningCost
}

// A Prune is one line of the ledger: an item that density or a compression removed from the context.
type Prune = history.Prune

// Compression reports that the history was compressed, or why it was not.
type Compression struct {
	// Strategy is the name of the active strategy.
	Strategy string
	// Applied is false if nothing was changed. Reason is why. If the hard limit forced a fallback step,
	// Reason names the step: "context limit: shorter tail" (D-49).
	Applied bool
	// Failed is set if no model gave a summary. At the hard limit the fallback steps continue without
	// one.
	Failed       bool
	Reason       string
	TokensBefore int
	TokensAfter  int
	Limit        int
}

// Refusal reports that a provider refused a request of about Tokens tokens as too long. Limit is the
// context window that is assumed for later requests (S-12).
type Refusal struct{ Tokens, Limit int }

// HeadChosen reports that requests now use a different head, or the usual one again.
type HeadChosen struct {
	// Lean is set if the context window is small, so that the head has a short prompt and only the
	// essential tools.
	Lean bool
	// Cut is set if the instructions from files were shortened to fit.
	Cut bool
	// Tools lists the names of the tools offered.
	Tools []string
	// Tokens is the size of the head, and Limit the context window.
	Tokens, Limit int
}

func (Density) step()     {}
func (Compression) step() {}
func (Refusal) step()     {}
func (HeadChosen) step()  {}

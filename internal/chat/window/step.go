package window

import "agent/internal/history"

// A Step is an action or a discovery of a Window. Sizes are tokens as the provider counts them.
type Step interface{ step() }

// Density reports that pruning made the context smaller.
type Density struct {
	Metadata     history.Counts
	Prunes       []Prune
	TokensBefore int
	TokensAfter  int
	Limit        int
	// Cut holds the cost and the savings of the pruning, or nil for a strategy that does not
	// weigh them.
	Cut *history.Cut
}

// A Prune is one line of the ledger: an item that density or a compression took out of the
// context.
type Prune = history.Prune

// Compression reports that the history was compressed, or why it was not.
type Compression struct {
	// Strategy is the name of the active strategy.
	Strategy string
	// Applied is false for a no-op. Reason says why. For a step that the hard limit forced,
	// Reason names the step: "context limit: shorter tail" (D-49).
	Applied bool
	// Failed is set if no model gave a summary. At the hard limit the work continues without one.
	Failed       bool
	Reason       string
	TokensBefore int
	TokensAfter  int
	Limit        int
}

// Refusal reports that a provider refused a request of about Tokens tokens as too long. Limit is
// the window that is assumed from now on (S-12).
type Refusal struct{ Tokens, Limit int }

// HeadChosen reports that requests have another head from now on, or the usual one again.
type HeadChosen struct {
	// Lean is set if the window is small, so that the head has a short prompt and only the
	// essential tools.
	Lean bool
	// Cut is set if the instructions of the user's files were cut to fit.
	Cut bool
	// Tools lists the names of the tools offered.
	Tools []string
	// Tokens is the size of the head, Limit the size of the window.
	Tokens, Limit int
}

func (Density) step()     {}
func (Compression) step() {}
func (Refusal) step()     {}
func (HeadChosen) step()  {}

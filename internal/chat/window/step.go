package window

import "agent/internal/history"

// Step is something a Window did or found out. Sizes are tokens as the provider
// counts them.
type Step interface{ step() }

// Density: pruning made the context denser.
type Density struct {
	Metadata     history.Counts
	Prunes       []Prune
	TokensBefore int
	TokensAfter  int
	Limit        int
	// Cut says what the pruning costs and saves, nil for a strategy that does not ask.
	Cut *history.Cut
}

// Prune is one line of the ledger: what density or a compression took out of the
// context.
type Prune = history.Prune

// Compression: the history was compressed, or there was nothing to do.
type Compression struct {
	// Strategy is the active one.
	Strategy string
	// Applied is false for a no-op. Reason says why; of a step that the hard limit
	// forced it says which: "context limit: shorter tail" (D-49).
	Applied bool
	// Failed: no model gave a summary; at the hard limit the work continues without one.
	Failed       bool
	Reason       string
	TokensBefore int
	TokensAfter  int
	Limit        int
}

// Refusal: a provider found a request of Tokens too long. Limit is the window that
// is believed from now on (S-12).
type Refusal struct{ Tokens, Limit int }

// HeadChosen: the head of the requests from now on is another than the usual one, or
// again the usual one.
type HeadChosen struct {
	// Lean: a short prompt and only the essential tools, because the window is small.
	Lean bool
	// Cut: the instructions of the user's files were cut to fit.
	Cut bool
	// Tools are the names of those that are offered.
	Tools []string
	// Tokens is what the head takes of the window, Limit.
	Tokens, Limit int
}

func (Density) step()     {}
func (Compression) step() {}
func (Refusal) step()     {}
func (HeadChosen) step()  {}

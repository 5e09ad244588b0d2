package window

import (
	"time"

	"agent/internal/compression"
	"agent/internal/history"
)

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
}

// Prune is one line of the ledger.
type Prune struct {
	Kind    history.PruneKind
	Subject string
	Reason  string
	// Tokens is what the prune freed.
	Tokens int
	// Turn is the number of the user's message during which it happened, from 1.
	Turn int
	At   time.Time
}

// Compression: a compression ran, or found nothing to do.
type Compression struct {
	Strategy string
	// Applied is false for a no-op; Reason says why.
	Applied      bool
	Reason       string
	TokensBefore int
	TokensAfter  int
	Limit        int
}

// Rung: a step of the ladder made the request smaller at the hard limit, or failed.
type Rung struct {
	Name         compression.RungName
	TokensBefore int
	TokensAfter  int
	// Err is why the active strategy failed; the ladder then went on.
	Err error
}

// Refused: a provider found a request of Tokens too long. Limit is the window that
// is believed from now on (S-12).
type Refused struct{ Tokens, Limit int }

func (Density) step()     {}
func (Compression) step() {}
func (Rung) step()        {}
func (Refused) step()     {}

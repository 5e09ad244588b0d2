package compression

import (
	"context"
	"fmt"

	"agent/internal/history"
)

// RungName names a step of the reduction ladder, in words a person is shown.
type RungName string

// The rungs, in their order (D-30). Density comes before them; it edits the raw
// history by way of the history service, so the caller runs it first.
const (
	// RungCompress is the active strategy's own compression.
	RungCompress RungName = "compress"
	// RungHighDensity is the compression of high-density.
	RungHighDensity RungName = "high-density compress"
	// RungShorterTail is the same with the preserved tail halved, and halved again
	// until only the newest exchange is left in it.
	RungShorterTail RungName = "shorter tail"
	// RungNotes replaces the largest tool results by a line, largest first.
	RungNotes RungName = "shorten large results"
	// RungDropTurns drops whole turns, oldest first, then what is old of the last.
	RungDropTurns RungName = "drop oldest turns"
)

// rungs is the ladder.
var rungs = []struct {
	name RungName
	run  func(*ladder, context.Context) error
}{
	{RungCompress, (*ladder).compress},
	{RungHighDensity, (*ladder).compressHighDensity},
	{RungShorterTail, (*ladder).shortenTail},
	{RungNotes, (*ladder).noteResults},
	{RungDropTurns, (*ladder).dropTurns},
}

// LadderInput is a request at the hard limit.
type LadderInput struct {
	// Context is what the strategies get.
	Context
	// Reserve is the tokens kept free for the reply (D-08).
	Reserve int
	// Strategy is the active strategy.
	Strategy Strategy
	// Announce is told of each rung that shortened something or failed, when it is
	// done; it must be set.
	Announce func(Rung)
}

// Rung is what one step of the ladder did.
type Rung struct {
	Name RungName
	// TokensBefore and TokensAfter are totals in the sense of D-07.
	TokensBefore, TokensAfter int
	// Err is why the active strategy's compression failed; the ladder then goes on.
	Err error
}

// LadderResult is a history that fits.
type LadderResult struct {
	History []*history.Content
	// TokensBefore and TokensAfter are totals in the sense of D-07.
	TokensBefore, TokensAfter int
}

// ContextOverflowError says that a request cannot be made to fit, since what
// must be in it is too large already (D-30). All numbers are tokens.
type ContextOverflowError struct {
	// Overhead is the system prompt and the tool schemas, Message the last message
	// of the user, Reserve the room kept for the reply.
	Overhead, Message, Reserve int
	// Limit is the model's window.
	Limit int
}

func (e *ContextOverflowError) Error() string {
	return fmt.Sprintf("the request cannot fit into the context limit of %d tokens: "+
		"system prompt and tools take %d, your message %d, and %d are reserved for the reply; "+
		"raise context-limit if the model allows it, lower max-output-tokens, or send a shorter message with fewer or smaller files",
		e.Limit, e.Overhead, e.Message, e.Reserve)
}

// Reduce brings a request under the hard limit, by gentle means first (D-30). It
// stops at the first rung after which total + reserve ≤ limit. The last message
// of the user stays, and so do the calls the model made since, if they fit at all.
// The result is valid (history.Validate) if the input was. The error is a
// *ContextOverflowError, or ctx's when it ended.
func Reduce(ctx context.Context, in LadderInput) (LadderResult, error) {
	if err := in.check(); err != nil {
		return LadderResult{}, err
	}
	l := &ladder{
		Context:  in.Context,
		strategy: in.Strategy,
		room:     in.ContextLimit - in.Reserve,
		tail:     tailSize(len(in.History), in.PreserveThreshold),
	}
	before := l.Total()
	if message := l.message(); in.Overhead+message > l.room {
		return LadderResult{}, &ContextOverflowError{in.Overhead, message, in.Reserve, in.ContextLimit}
	}
	for _, rung := range rungs {
		if l.fits() {
			break
		}
		total := l.Total()
		err := rung.run(l, ctx)
		if ctx.Err() != nil {
			return LadderResult{}, ctx.Err()
		}
		if after := l.Total(); after != total || err != nil {
			in.Announce(Rung{rung.name, total, after, err})
		}
	}
	return LadderResult{l.History, before, l.Total()}, nil
}

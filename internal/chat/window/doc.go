// Package window decides which content the model is shown, and makes it fit: it is the pre-send
// window. Before each request its owner calls, in this order (D-29),
//
//	Pruning.EnsureDensityOptimized   prune content that newer content has made stale
//	Measure.ShouldCompress           is the total at the threshold?
//	PerformCompression               let the active strategy rebuild the history
//	EnforceLimit                     total and reserve fit, at any cost
//
// A Window is made of parts, each with the state that it needs between requests: Heads (system
// prompt and tool schemas, fixed once), Limits (also those that providers taught by refusing),
// Measure (the relation of the provider's count to ours), Pruning with the rules of Staleness or
// an engine that weighs prices, Pins, the Ledger of pruned content, Contents and Account.
// history.Service owns the conversation itself; only a Window makes it smaller.
//
// A Window knows nothing of turns, queues, approvals or screens. It reports each action as a
// typed Step, after it is done. One goroutine owns a Window. Only the computations of a strategy,
// which work on immutable entries, may run elsewhere in the meantime.
package window

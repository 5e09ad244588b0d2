// Package window is what the model is shown, and that it fits: the pre-send
// window. Before each request its owner calls, in this order (D-29),
//
//	EnsureDensityOptimized   prune what newer content has made stale
//	ShouldCompress           is the total at the threshold?
//	PerformCompression       let the active strategy rebuild the history
//	EnforceLimit             total and reserve fit, whatever it takes
//
// A Window holds what these need to remember between requests: the head (system
// prompt and tool schemas, fixed once), the generation density has seen, how the
// provider's count relates to ours, the limits that providers taught by refusing,
// and the ledger of what was pruned. The conversation itself belongs to
// history.Service; a Window is the only one that makes it smaller.
//
// It knows nothing of turns, queues, approvals or screens. It reports what it does as
// typed steps, after it is done. One goroutine owns a Window; only what a strategy
// computes from the immutable entries it is handed may run elsewhere meanwhile.
package window

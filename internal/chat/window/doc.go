// Package window decides which content a request contains, and makes it fit the context window of the
// model. Before each request its owner calls, in this order (D-29),
//
//	Pruning.EnsureDensityOptimized   prune content that newer content has made stale
//	Measure.ShouldCompress           is the total at the threshold?
//	PerformCompression               let the active strategy rebuild the history
//	EnforceLimit                     total and reserve fit, at any cost
//
// A Window is made of parts, each with the state that it needs between requests. Heads builds the
// system prompt and tool schemas. Limits contains the limits, including those learned from refusals.
// Measure converts between the provider's token count and ours. Pruning applies the rules of Staleness,
// or an engine that weighs prices. The others are Pins, the Ledger of pruned content, Contents and
// Costs. history.Service owns the conversation itself. Only a Window makes it smaller.
//
// A Window does not depend on turns, queues, approvals or screens. It reports each action as a typed
// Step, after it is done. One goroutine owns a Window. Only the computations of a strategy, which use
// immutable entries, may run on another goroutine meanwhile.
package window

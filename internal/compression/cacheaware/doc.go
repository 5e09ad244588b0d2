// Package cacheaware prunes a conversation only if it saves more than the loss of the provider's prompt
// cache costs.
//
// Providers bill the part of a request that repeats the previous request at a fraction of the price of
// new text. A cut in the middle of a context makes everything after the cut new text again. Pruning the
// middle on every turn would therefore pay for that text each time. This package prunes the same kinds
// of content as density. But for each cut it computes the present cost, and when the cut has paid for
// itself.
//
// # Units
//
// The package divides a conversation into units (unit.go), the smallest parts that can change. The
// words of humans and the model, and the heads of calls, never change. Long arguments and results can
// be replaced by a pointer of one line. Each tool declares which parts of a file its calls and results
// contain (call_facts.go).
//
// # Candidates
//
// A unit is free when pruning it loses nothing: a view that a later view covers, an old text whose edit
// was applied, the result of a search that ran again. A unit is cold when it was not used for the
// number of requests that its class allows, the retention (candidate.go). A unit is soft when it is
// nearly cold. Soft units are only pruned together with a cut that is made anyway. A call that consists
// only of pointers is removed with its result (empty_calls.go). The calls of a file that was edited
// again and again can be folded into one copy of its current text (fold.go).
//
// # The gate
//
// The gate (gate.go) examines every position where a cut could begin, from the tail to the head. A cut
// removes everything after it that may be pruned. A cut is made if it pays back within a few requests,
// and only with an amount that pruning has saved before. This amount is the bank: the cost without
// pruning so far, minus the amount spent. For example, with a read price of 0.1 and a write price of
// 1.25:
//
//	sent before   [head 3000][a.go 4000][test output 900][talk 600]
//	cold          test output
//	the cut       600 tokens of talk are billed at 1.25 instead of 0.1: 690 dearer
//	              880 tokens are never read again: 88 cheaper, each request
//	pays back     after 8 requests
//
// So at no point of a session does the amount spent exceed the cost without pruning by more than a debt
// of two hundredths (account.go; TestNeverDearer).
//
// The cost of a cut depends on how the provider finds the cached part of a request and how long it
// keeps that part (cache.go). The provider's reports of cached tokens correct the accounting. The
// engine also learns both facts from them (learn.go).
//
// # State
//
// An Engine follows one conversation. It has four parts: the conversation with its units, sizes and
// files (conversation.go); the account with the content of the provider's cache (account.go, cache.go);
// the facts learned from reports (learn.go); and the review of candidates, which is computed again for
// each moment (candidate.go). The state of an Engine depends only on its input, in order: the entries
// added, the changes applied, and the requests settled. A reply stores its request in its metadata
// (request.go). Following the log of a session therefore results in an equal engine (follow.go). An
// Engine reads no clock and calls no model. It accesses the disk only through its caller, and belongs
// to one goroutine.
package cacheaware

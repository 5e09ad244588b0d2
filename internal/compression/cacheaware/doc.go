// Package cacheaware prunes a conversation where pruning pays.
//
// Providers bill the part of a request that repeats the request before it at a fraction of the
// price of new text. A cut in the middle of a context makes everything behind the cut new text
// again, so pruning the middle on every turn pays for that text each time. This package prunes
// the same kinds of content, but asks of each cut how much it costs now, and when it will have
// paid for itself.
//
// # Units
//
// The package divides a conversation into units (unit.go), the smallest parts that can change.
// The words of humans and the model, and the heads of calls, never change. Long arguments and
// results can be replaced by a pointer of one line. Each tool declares which parts of a file its
// calls and results show (fact.go).
//
// # Candidates
//
// A unit is free when pruning it loses nothing: a view that a later view covers, an old text
// whose edit was applied, the result of a search that ran again. A unit is cold when nothing has
// used it for as many requests as its class has patience for (candidate.go). A unit is soft when
// it is nearly cold; soft units go along with a cut that is made anyway. A call with nothing but
// pointers left of it leaves with its result (hollow.go). The remains of a file that was edited
// again and again can be folded into one copy of its current text (fold.go).
//
// # The gate
//
// The gate (gate.go) looks at every place where a cut could begin, from the tail to the head. A
// cut takes everything behind it that may go. A cut is made if it pays back within a few
// requests, and only with money that pruning has saved before. This money is the bank: the cost
// of sending everything so far, less the amount spent. For example, with a read price of 0.1 and
// a write price of 1.25:
//
//	sent before   [head 3000][a.go 4000][test output 900][talk 600]
//	cold          test output
//	the cut       600 tokens of talk are billed at 1.25 instead of 0.1: 690 dearer
//	              880 tokens are never read again: 88 cheaper, each request
//	pays back     after 8 requests
//
// So at no point of a session does the amount spent exceed the cost of sending everything by more
// than a debt of two hundredths (account.go; TestNeverDearer).
//
// The cost of a cut depends on how the provider finds the cached part of a request, and on how
// long it keeps that part (cache.go). The provider's reports of cached tokens settle the account,
// and teach the engine both (learn.go).
//
// # State
//
// An Engine follows one conversation. It has four parts: the conversation with its units, sizes
// and files (conversation.go); the account with the content of the provider's cache (account.go,
// cache.go); the lessons from reports (learn.go); and, made again for each moment, the review of
// candidates (candidate.go). The state of an Engine is a function of its input, in order: entries
// added, changes applied, and requests settled, which a reply carries in its metadata
// (request.go). Following the record of a session therefore gives an equal engine (follow.go). An
// Engine reads no clock, asks no model, looks at the disk only through its caller, and belongs to
// one goroutine.
package cacheaware

// Package cacheaware decides what may leave a context so that leaving pays.
//
// Providers bill what a request repeats of the one before it at a fraction of the
// price of new text. Whoever prunes the middle of a context on every turn
// therefore pays for everything behind the cut once more. This package prunes the
// same kinds of things, but asks of each cut what it costs now and when it will
// have paid for itself.
//
// # Units
//
// A conversation is cut into units (unit.go), the smallest things that can change:
// what humans and the model said and the heads of calls, which never change, and
// long arguments and results, which can be replaced by a pointer of a line. What a
// unit shows is declared by its tool (fact.go).
//
// # What may go
//
// A unit is free when nothing is lost with it: a view that a later view covers, an
// old text whose edit was applied, the answer of a search that ran again. It is
// cold when nothing has used it for as many requests as its class has patience for
// (candidate.go). It is soft when it is not cold yet, but near: soft
// units go along with a cut that is made anyway. A call of which nothing but pointers is
// left leaves with its answer (hollow.go). All that is left of a file that was
// edited again and again can be folded into one copy of its current text (fold.go).
//
// # When it leaves
//
// The gate (gate.go) looks at every place where a cut could begin, from the tail to
// the head. Behind the cut everything that may go leaves. A cut is made where it pays
// back within a few requests, and only with money that pruning has saved before:
// the bank is what sending everything would have cost so far less what was spent.
// For example, with a read price of 0.1 and a write price of 1.25:
//
//	sent before   [head 3000][a.go 4000][test output 900][talk 600]
//	cold          test output
//	the cut       600 tokens of talk are billed at 1.25 instead of 0.1: 690 dearer
//	              880 tokens are never read again: 88 cheaper, each request
//	pays back     after 8 requests
//
// So the sum of what was spent never exceeds what sending everything would have
// cost, at any point of a session, but for a debt of three quarters of a hundredth
// (account.go; TestNeverDearer).
//
// What a cut costs depends on how the provider finds what it holds of a request, and on
// how long it keeps that (cache.go). Reports of what it found settle the account and teach
// both (learn.go).
//
// # State
//
// An Engine follows one conversation. It has four parts: the conversation with its units,
// sizes and files (conversation.go), the account with what the provider holds (account.go,
// cache.go), what reports have taught (learn.go), and, made anew for each moment, the review
// of what may leave (candidate.go). Everything it knows is a function of what it
// was given, in order: entries added, changes applied, requests settled, which a
// reply carries with it (request.go). Following the record of a session therefore
// gives an equal engine (follow.go). It reads no clock, asks no model, looks at the
// disk only through its caller, and belongs to one goroutine.
package cacheaware

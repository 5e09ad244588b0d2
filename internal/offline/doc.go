// Package offline runs the context engine on files, without a session and without a model. An Engine
// optimizes, compresses, explains or shows a history, which is an Input: a session log, a document, or
// a session of another coding agent (package logs).
//
// Replay measures density pruning. It runs the turns of a recording one by one through the real
// pre-send window, once for each Variant. A Variant is a way of keeping the context small. A Report
// sums up the requests that each would have sent. The replies of a recording are not changed, although
// a model with less context might have answered differently. So the figures compare the costs of the
// same conversation, and count the edits that quote text which was still in the context. FindSavings
// does so for many sessions and sums up their costs. Package judge determines which content a reply
// needed.
package offline

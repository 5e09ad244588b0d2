// Package offline runs the context engine on files, without a session and without a model. An
// Engine optimises, compresses, explains or shows a history, which is an Input: a session log, a
// document, or a session of another agent (package logs).
//
// Replay judges density. It feeds the turns of a recording one by one through the real pre-send
// window, once for each Variant, which is a way of keeping the context small, and sums up in a
// Report the requests that each would have sent. The replies of a recording stay as they are,
// although a model that saw less might have answered differently. So the figures compare the
// costs of the same conversation, and count the edits that quote text which the model could still
// see. FindSavings does so for many sessions and sums up their costs. Package judge decides which
// content a reply needed.
package offline

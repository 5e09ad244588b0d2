// Package judge measures the content that pruning took away from a recording: the applied edits
// that quote text which the model could no longer see, and the rare words in its replies that
// nothing in its context held.
//
// A word is rare if it looks like a name in a program and only content that can be pruned holds
// it: no text of a human or the model, no head of a call. Once a reply uses the word, later
// replies have it from there.
package judge

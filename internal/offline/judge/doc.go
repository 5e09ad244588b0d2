// Package judge measures which needed content pruning removed from a recording. It counts the applied
// edits whose quoted text was no longer in the context. It also counts the rare words in replies that
// were nowhere in the context.
//
// A word is rare if it looks like an identifier of a program and occurs only in content that can be
// pruned: in no text of a human or the model, and in no head of a call. Once a reply uses the word,
// later replies can take it from that reply.
package judge

// Package judge says what pruning took away from a recording: which of the edits
// that were applied quote text the model could not see any more, and how many rare
// words it used that nothing in its context held.
//
// A word is rare when it looks like a name of a program and only what can be pruned
// holds it: no words of a human or the model, no head of a call. A reply that uses one
// has it from there.
//
// The package also finds the least that a recording could have cost, with perfect
// knowledge of what is needed later (optimum.go).
package judge

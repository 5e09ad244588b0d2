// Package compression keeps a conversation within the model's context window. It decides which parts of
// a history are no longer worth their tokens, and replaces them by something shorter. Functions accept
// and return values and never change a history. They use no clock, disk, log or screen. Facts returns
// the traits that tools declare.
//
// The package has three methods, from gentle to harsh.
//
// # Density
//
// Optimize finds content that newer content has made worthless. A strategy that can do so implements
// Optimizer, and the turn loop calls it before every request. The phases run one after the other on one
// view of the history. Each is a Phase (phase.go), which also declares its settings, counts and words.
// So no other code refers to a phase by name:
//
//   - phase_readwrite.go: a read of a file that was written later,
//   - phase_dedupe.go: an @ inclusion of a file that was included again later,
//   - phase_recency.go: all but the newest results of a tool (off by default).
//
// For example, in
//
//	0 human  fix the bug in a.go
//	1 ai     let me look, call read_file a.go
//	2 tool   content of a.go
//	3 ai     call replace a.go
//	4 tool   replaced, the changed region is …
//
// entries 1 and 2 contain a text of a file that no longer exists. The result is
//
//	Removals:     [2]
//	Replacements: {1: ai  let me look}
//
// with a Prune that describes this to the user. Phases edit a view (density.go), which copies only
// edited entries. view.result merges the edits, so that no entry is both removed and replaced, and none
// is left empty. Calls and responses are paired by position, going backward (history.PairsBackward). So
// the first write found is the latest, the first inclusion found is the one to keep, and the first
// results found are the newest. Each phase is thus a single pass.
//
// # Compression
//
// Compress is for a context that has reached its threshold nevertheless. The strategy high-density
// (highdensity.go) keeps a tail unchanged. It puts a line such as
//
//	[read_file: src/index.ts — success, 245 lines]
//
// in place of each tool result before the tail (summary.go), and drops old entries (truncate.go) only
// if that is not enough. A call and its responses are one group (groups.go) and are only dropped
// together. One marker entry (marker.go) contains the number of dropped entries. The strategy
// top-down-truncation (topdown.go) only drops entries. registry.go lists all strategies.
//
// # The fallback steps
//
// Reduce (fallback.go) is for a request over the model's hard limit. It tries increasingly harsh fallback
// steps until the request fits. If none is enough, it returns an error with the sizes of the parts that
// must be sent.
package compression

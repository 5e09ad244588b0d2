// Package compression keeps a conversation within the model's window: it decides which parts of a
// history no longer earn their tokens, and puts something shorter in their place. Every function
// takes values and returns values. None changes a history it is given, and none knows a clock,
// disk, log or screen; tools describe themselves through Facts.
//
// The package has three means, from gentle to harsh.
//
// # Density
//
// Optimize finds content that newer content has made worthless. A strategy that can do so
// implements Optimizer, and the turn loop asks it before every request. The phases run one after
// the other over one view of the history. Each is a Phase (phase.go), which also declares its
// settings, counts and words, so that no other place knows a phase by name:
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
// entries 1 and 2 show a text of a file that no longer exists. The result is
//
//	Removals:     [2]
//	Replacements: {1: ai  let me look}
//
// with a Prune that tells the user so. Phases edit a view (density.go), which copies only
// edited entries. view.result merges the edits, so that no entry is both removed and replaced,
// and none is left empty. Calls and responses are paired by position, going backward
// (history.PairsBackward): the first write met is the latest, the first inclusion met is the one
// to keep, and the first results met are the newest, so that each phase is a single pass.
//
// # Compression
//
// Compress is for a context that has reached its threshold nevertheless. The strategy
// high-density (highdensity.go) keeps a tail as it is. It puts a line such as
//
//	[read_file: src/index.ts — success, 245 lines]
//
// in place of each tool result before the tail (summary.go), and drops old entries (truncate.go)
// only if that is not enough. A call and its responses are one group (groups.go) and are only
// dropped together. One marker entry (marker.go) says how many entries are gone. The strategy
// top-down-truncation (topdown.go) only drops. registry.go lists all strategies.
//
// # The ladder
//
// Reduce (ladder.go) is for a request over the model's hard limit. It tries ever harsher rungs
// until the request fits. If none is enough, it returns an error with the sizes that make it
// impossible.
package compression

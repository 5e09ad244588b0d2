// Package history is the content model of a conversation: entries and their blocks, their JSON,
// the pairing of tool calls with responses, the form of file inclusions, and the Service that
// owns a live conversation.
//
// A Content is one entry, a Block one part of an entry: text, thinking, a tool call, a tool
// response or media. Both are immutable. The Service alone owns the list of entries; everybody
// else gets read-only views. A Mutation is one change of the list, as the Service reports it to
// its Observer, and a DensityResult the change that pruning asks for.
//
// The package is pure apart from the Service's mutex: no clock, disk, network or screen.
package history

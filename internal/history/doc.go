// Package history is the content model of a conversation: entries and their blocks, and their JSON. It
// also defines the pairing of tool calls with responses, the form of file inclusions, and the Service
// that owns a live conversation.
//
// A Content is one entry, and a Block one part of an entry: text, thinking, a tool call, a tool
// response or media. Both are immutable. Only the Service owns the list of entries. Other code receives
// read-only views. A Mutation is one change of the list, as the Service reports it to its Observer. A
// DensityResult is a change that pruning requests.
//
// Apart from the Service's mutex, the package is pure: it uses no clock, disk, network or screen.
package history

// Package history is the content model of a conversation: entries and their
// blocks, their JSON, the pairing of tool calls with responses, the form of file
// inclusions, and the Service that owns a live conversation.
//
// It is pure apart from the Service's mutex: no clock, disk, network or screen.
// The Service owns the list of entries; everybody else gets read-only views of
// immutable entries.
package history

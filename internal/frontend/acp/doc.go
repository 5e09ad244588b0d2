// Package acp is the interface for editors: it speaks the Agent Client Protocol, version 1,
// with which editors drive an agent: JSON-RPC 2.0, a message a line, over standard input and
// output.
//
// A Server reads messages and makes a conversation for each session of the editor. The
// requests of one session are served in the order in which they came; sessions never wait
// for each other. A conversation reports its actions as events, which a session turns into
// updates; the wire is known in this package only.
package acp

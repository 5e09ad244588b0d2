// Package acp is the interface for editors. It implements version 1 of the Agent Client Protocol, with
// which editors control an agent. The protocol is JSON-RPC 2.0, one message per line, over standard input
// and output.
//
// A Server reads messages and creates a conversation for each session of the editor. The requests of one
// session are handled in the order of their arrival. Sessions never wait for each other. A conversation
// reports its actions as events, which a session turns into updates. Only this package uses the message
// format.
package acp

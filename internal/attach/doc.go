// Package attach makes it possible for other terminals of the same user to follow and control a running
// session.
//
// The process of a session has a Hub, to which it adds the lines of stream-json. Serve serves the Hub on a
// Unix socket. A client finds the socket with Find, dials it, and joins with the number of the last line
// that it has received. It then receives every later line once, in order. If the Hub no longer has these
// lines, the client starts from the record, up to the record number in JoinReply. The Hub never waits for a
// client. It disconnects a client that is too slow, and that client can join again.
//
// The package does not depend on the meaning of the lines. The process of the session handles the lines
// that clients send, and decides which take effect.
package attach

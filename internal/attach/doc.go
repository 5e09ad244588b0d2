// Package attach lets other terminals of the same user follow and steer a running session.
//
// The process of a session owns a Hub, to which it adds the lines of stream-json, and serves it on a
// Unix socket with Serve. A client finds the socket with Find, dials it and joins with the number of
// the last line that it knows. It then receives every later line once, in order. If the Hub no longer
// holds these lines, the client starts from the record, at the place that Joined names. The Hub never
// waits for a client: it disconnects a client that is too far behind, and that client can join again.
//
// The package does not know the meaning of the lines. The process of the session handles the lines that
// clients send, and it alone decides.
package attach

// Package mcp speaks the Model Context Protocol to servers, as programs that it starts
// and over HTTP: it connects, lists what a server offers, calls, answers what a server
// asks back, and ends what it started.
//
// A [Set] holds the servers of a conversation. None is connected before it is used, and
// one that ended is started again at the next use. A [Client] is one connection.
//
// What comes from a server is data and arrives as it was sent: names, descriptions and
// results are neither cleaned nor shortened here, but each list, line and wait has a
// bound. The package decides nothing about consent.
package mcp

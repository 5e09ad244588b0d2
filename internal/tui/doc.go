// Package tui is the terminal interface: one Bubble Tea model, inline in the
// normal screen.
//
// What is finished (a message, a closed block of the reply, a tool result) is
// printed to the terminal's scrollback once and forgotten. What still changes is
// the live part at the bottom: the tail of the reply, running tools, the queue,
// the input and a status line. It is always lower than the window, so the cost of
// a frame does not depend on the length of the session.
//
// The way of things:
//
//	keys ─► input (decoder: sequences, pastes) ─► Bubble Tea ─► model.Update
//	chat events ─► mailbox (joins deltas, 30 a second) ─────────┘     │
//	terminal ◄─ screen (one goroutine, one write a frame) ◄── frame ──┘
//
// The model does no input or output: Update changes plain values and returns
// commands, and what it wants shown is a frame handed to the screen.
//
// Bubble Tea v1 runs the event loop, the commands and the key parser. Its own
// renderer is switched off: it wakes sixty times a second when nothing happens,
// paints a key up to 17 ms late, and prints scrollback lines apart from the frame
// they belong to. See screen.go.
package tui

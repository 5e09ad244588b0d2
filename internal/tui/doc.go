// Package tui is the terminal interface: one Bubble Tea model, inline in the
// normal screen.
//
// What is finished (a message, a closed block of the reply, a tool result) is an entry
// of the transcript and printed to the terminal's scrollback once. What still changes
// is the live part at the bottom: the open block of the reply, running tools, the
// queue, the input and a status line. It is at most half of the window, so the cost of
// a frame does not depend on the length of the session. After the window has changed
// its size, the transcript is laid out and printed anew (resize.go).
//
// Data flow:
//
//	keys ─► term.Keyboard (sequences, pastes) ──────► tea.Program ─► model.update
//	chat events ─► mailbox (joins deltas, 30 a second) ─────┘       │
//	terminal ◄─ term.Screen (one goroutine, one write a frame) ◄── frame
//
// The model does no input or output, but for a look whether a file is there that is to be
// a link: update changes plain values and returns commands, and what it wants shown is a
// frame handed to the screen. Time comes as a message too: the model says when it wants to
// be woken, and nothing ticks when nothing moves.
//
// Bubble Tea v1 runs the event loop and the commands. Its key parser is off, because
// it knows neither Shift+Enter nor the newer key protocols, and re-reads a growing
// paste from its start; term.Keyboard names keys itself. Its renderer is off, because
// it wakes sixty times a second when nothing happens, and prints scrollback lines
// apart from the frame they belong to. See program.go.
package tui

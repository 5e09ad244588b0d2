// Package tui is the terminal interface: one Bubble Tea model, inline in the normal screen. Run
// creates the Model, which holds the whole state. The parts of the screen (activity, statusLine,
// reader, chooser, …) share a surface. Options holds the dependencies; the turn loop is the Driver.
//
// A finished piece (a message, a closed block of the reply, a tool result) is an entry of the
// transcript and is printed to the terminal's scrollback once. The live part at the bottom still
// changes: the open block of the reply, running tools, the queue, the input and a status line.
// The live part is at most half of the window, so the cost of a frame does not depend on the
// length of the session. After the window has changed its size, the transcript is laid out and
// printed again (resize.go).
//
// Data flow:
//
//	keys ─► term.Keyboard (sequences, pastes) ──────► tea.Program ─► model.update
//	chat events ─► mailbox (joins deltas, 30 a second) ─────┘       │
//	terminal ◄─ term.Screen (one goroutine, one write a frame) ◄── frame
//
// The model does no input or output, except for checking whether a file exists before linking it.
// update changes values and returns commands. To show something, it passes a frame to the screen.
// Elapsed time is also a message: the model requests a time for the next wakeMsg, and if nothing
// moves, there are no ticks.
//
// Bubble Tea v1 runs the event loop and the commands. Its key parser is off, because it supports
// neither Shift+Enter nor the newer key protocols, and re-reads a growing paste from its start;
// term.Keyboard parses keys instead. Its renderer is off, because it wakes sixty times a second
// even if nothing changes, and prints scrollback lines separately from their frame. See program.go.
package tui

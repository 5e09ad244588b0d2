// Package tui is the terminal interface: one Bubble Tea model, inline in the normal screen. Run
// owns the Model, which holds the whole state; the parts of the screen (activity, statusLine,
// reader, chooser, …) share a surface. Options holds the dependencies, with the turn loop as
// Driver.
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
// update changes plain values and returns commands; to show something it hands a frame to the
// screen. Time comes as a message too: the model tells the program when to wake it, and nothing
// ticks when nothing moves.
//
// Bubble Tea v1 runs the event loop and the commands. Its key parser is off, because it knows
// neither Shift+Enter nor the newer key protocols, and re-reads a growing paste from its start;
// term.Keyboard names keys itself. Its renderer is off, because it wakes sixty times a second
// when nothing happens, and prints scrollback lines apart from the frame they belong to. See
// program.go.
package tui

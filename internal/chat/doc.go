// Package chat is the turn loop: it takes what the user says, keeps the context
// under its limit before every request, streams the model's reply, runs the tools
// it asks for, and reports what happens as typed events.
//
// # Owner
//
// A Chat has no lock. One goroutine owns it, the one in Run (a screen) or in Prompt
// and Resend (a program without one). Everybody else hands it work through the inbox
// (inbox.go), which the owner serves whenever it waits: for a reply, for tools, for a
// person's approval, for the next message. So Esc, a queued message or a question
// about the context are answered at once, and nothing runs beside the turn but the
// provider's stream and the tools, which reach the owner through channels.
//
// # State
//
// Each part keeps its own state and knows of the others only what it needs:
//
//   - window.Window (internal/chat/window): what the model is shown, and that it fits
//   - runner (calls.go, gates.go): the calls of a reply, their numbers, and the gates
//     that each passes
//   - replies (reply.go): what the model says, while it arrives and into the history
//   - gate.Consent, gate.Loop (internal/gate): what may run, what a person allowed for
//     the session, and whether the model runs in circles
//   - asker (asking.go): the question that waits for a person
//   - past.Past (internal/chat/past): what is taken back
//   - totals (costs.go): what was used and what it cost
//   - Chat itself: what waits (the queue and the tasks for when it is idle), the turn
//     in progress
//
// What was said belongs to history.Service, which notifies the session log of every
// change.
//
// # Flow
//
// A turn (turn.go) is
//
//	expand the message, add it               message.go
//	until the model asks for nothing more:
//	    add what was typed meanwhile
//	    EnsureCompressionBeforeSend          presend.go
//	    send, receive, store the reply       request.go, reply.go
//	    plan, admit, run, answer its calls   calls.go, gates.go
//
// However a turn ends (done, interrupted, refused, failed), the history it leaves is
// valid: each call has exactly one response (D-32). Whatever is stored is stored
// before it is reported.
package chat

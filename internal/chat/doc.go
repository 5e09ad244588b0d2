// Package chat runs the turn loop. The loop takes a message of the user, makes the context fit
// before every request, streams the model's reply, runs the tool calls in the reply, and reports
// every step as a typed event.
//
// # Owner
//
// A Chat has no lock. One goroutine owns it, the one in Run (a screen) or in Prompt and Resend (a
// program without one). Other goroutines post work to the inbox (inbox.go), and the owner serves
// the inbox whenever it waits: for a reply, for tools, for a user's approval, for the next
// message. So Esc, a queued message or a question about the context are answered at once. Only
// the provider's stream and the tools run beside the turn, and they reach the owner through
// channels.
//
// # State
//
// Each part keeps its own state and names the others that it uses:
//
//   - window.Window (internal/chat/window): the context of the next request, and its size
//   - runner (calls.go, gates.go): the calls of a reply, their numbers, and the gates
//     that each passes
//   - replies (reply.go): the model's reply, while it arrives and into the history
//   - gate.Consent, gate.Loop (internal/gate): the calls that may run, the grants of the
//     session, and whether the model runs in circles
//   - asker (asking.go): the question that waits for a user
//   - rewind.Past (internal/chat/rewind): going back to an earlier point, and undoing changes
//   - totals (costs.go): requests, tokens and costs
//   - Views (views.go), Past (rewind.go), Agents (agent.go): what the rest of the program sees of the
//     context, of earlier points, and of the conversation that runs an agent
//   - emitter (chat.go): events and notices, for the screen and the log
//   - Chat itself: the queue of messages, the tasks for when the chat is idle, the turn
//     in progress
//
// The messages belong to history.Service, which notifies the session log of every change.
//
// # Flow
//
// A turn (turn.go) is
//
//	expand the message, add it               message.go
//	until the model asks for nothing more:
//	    add the messages typed meanwhile
//	    EnsureCompressionBeforeSend          presend.go
//	    send, receive, store the reply       request.go, reply.go
//	    plan, admit, run, answer its calls   calls.go, gates.go
//
// However a turn ends (done, interrupted, refused, failed), the history it leaves is valid: each
// call has exactly one response (D-32). Every entry is stored before it is reported.
package chat

// Package chat runs the turn loop. The loop receives a message of the user. It makes the context fit
// before every request, streams the model's reply, and runs the tool calls in the reply. It reports
// every step as a typed event.
//
// # Owner
//
// A Chat has no lock. One goroutine owns it: the one in Run (for a screen), or in Prompt and Resend
// (for a program without a screen). Other goroutines post work to the inbox (inbox.go). The owner
// serves the inbox whenever it waits: for a reply, for tools, for a user's approval, or for the next
// message. So Esc, a queued message or a question about the context are answered at once. Only
// the provider's stream and the tools run in parallel with the turn. They reach the owner through
// channels.
//
// # State
//
// The types that most files use are in files that only declare them: event.go, config.go, chat.go. Each
// part keeps its own state and names the others that it uses:
//
//   - window.Window (internal/chat/window): the context of the next request, and its size
//   - runner (runner.go, gates.go, calls.go): the calls of a reply, their numbers, and the gates
//     that each passes
//   - replies (reply.go): the model's reply, while it arrives and into the history
//   - gate.Consent, gate.LoopDetector (internal/gate): the calls that may run, the grants of the
//     session, and whether the model repeats its calls
//   - asker (consent_questions.go): the open questions to the user
//   - rewind.Rewinder (internal/chat/rewind): returns to an earlier point, and undoes changes
//   - totals (costs.go): requests, tokens and costs
//   - Views (views.go), Past (rewind.go), Agents (agent.go): what the rest of the program uses: the
//     context, earlier points, and the subagents
//   - Handle (handle.go): posts work of other goroutines to the chat, also before New (new.go) has made it
//   - emitter (event.go): events and notices, for the screen and the log
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
//	    plan, admit, run, answer its calls   runner.go, gates.go, calls.go, answers.go
//
// However a turn ends (done, interrupted, refused, failed), its history is valid: each call has
// exactly one response (D-32). Every entry is stored before it is reported.
package chat

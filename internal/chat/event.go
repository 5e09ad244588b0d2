package chat

import (
	"encoding/json"
	"reflect"
	"time"

	"agent/internal/atcmd"
	"agent/internal/chat/window"
	"agent/internal/gate"
	"agent/internal/llm"
	"agent/internal/snapshot"
	"agent/internal/tools"
	"agent/internal/traits"
)

// Event is something that happened in the turn loop. Events are emitted in
// order from the goroutine that owns the loop. A listener may conflate deltas
// (TextDelta, ReasoningDelta, ToolOutput); every other event must reach the user.
type Event interface{ event() }

// TurnStarted: the loop begins to work on a prompt.
type TurnStarted struct{}

// TurnEnded: the loop is idle again. Err is nil when the model finished by
// itself.
type TurnEnded struct {
	Outcome Outcome
	Err     error
	// Changes has the files that edits and commands of the turn have changed.
	Changes snapshot.Changes
}

// UserMessage: what the user typed is in the history and on disk. Included and
// Skipped report what the @ processor did.
type UserMessage struct {
	Text     string
	Included []atcmd.Included
	Skipped  []atcmd.Skipped
}

// MessageReturned: what the user typed could not be sent, for example because it
// includes a file that is missing, or the provider refused it (D-50). It is not in
// the history any more; the screen gives it back to be edited.
type MessageReturned struct{ Message atcmd.Message }

// TextDelta: a piece of the model's answer.
type TextDelta struct{ Delta string }

// ReasoningDelta: a piece of the model's thinking.
type ReasoningDelta struct{ Delta string }

// TextWasThinking: the text since the last ReplyEnded was the model's thinking; the
// answer follows.
type TextWasThinking struct{}

// ReplyDiscarded: the deltas since the last ReplyEnded are void. The reply starts over
// (see Retry), or its request was refused.
type ReplyDiscarded struct{}

// ReplyEnded: the reply is complete and stored. Text is all of it. Interrupted
// is set when it was cut.
type ReplyEnded struct {
	Text        string
	Interrupted bool
}

// CallArriving: the model has begun to write a call; its arguments follow.
type CallArriving struct {
	Name string
	// Said is the call in words, as far as it is known.
	Said traits.Said
}

// CallRequested: the model asked for a call; it may yet be refused.
type CallRequested struct {
	// Call numbers the calls of a session from 1.
	Call     int
	ID, Name string
	// Said is the call in words.
	Said       traits.Said
	Parameters json.RawMessage
}

// ToolStarted: a call begins to run (after its approval, if it needs one).
type ToolStarted struct {
	// Call numbers the calls of a session from 1; provider ids may repeat.
	Call int
	ID   string
	Name string
	// Said is the call in words.
	Said       traits.Said
	Parameters json.RawMessage
}

// ToolOutput: a running command printed something.
type ToolOutput struct {
	Call int
	Data string
}

// ToolEnded: a call is done and its answer stored. Calls that never ran
// (refused, malformed, interrupted) have a ToolEnded as well.
type ToolEnded struct {
	Call     int
	ID       string
	Name     string
	Said     traits.Said
	Traits   tools.Traits
	Answer   tools.Answer
	Duration time.Duration
	// Typed is set for a command that the user ran.
	Typed bool
	// Denied is what the user decided on refusing it, nil when nobody did; Unanswered is
	// set when the turn was interrupted instead.
	Denied     *Decision
	Unanswered bool
}

// ApprovalRequested: the loop waits for Answer with this ID.
type ApprovalRequested struct{ Approval Approval }

// ApprovalSettled: the request with this ID needs no answer any more.
type ApprovalSettled struct{ ID int }

// DensityApplied: pruning made the context denser before a request.
type DensityApplied window.Density

// RequestStarted: a request is sent to the model. What was done to the context before it
// has been said.
type RequestStarted struct{}

// Compressed: a compression ran, or found nothing to do.
type Compressed window.Compression

// CompressionStarted: a model is asked for a summary. Compressed follows, unless that
// fails or is interrupted.
type CompressionStarted struct{ Strategy, Model string }

// UsageReported: the provider's figures for the latest request.
type UsageReported struct {
	PromptTokens     int
	CompletionTokens int
	CachedTokens     int
	CacheWriteTokens int
}

// Retry: a request failed and is tried again after Delay. Where is the endpoint and the
// model, Reason what happened.
type Retry struct {
	Attempt       int
	Delay         time.Duration
	Where, Reason string
}

// Problem is what happened and where.
func (r Retry) Problem() string { return llm.Located(r.Where, r.Reason) }

// Waiting: the model has sent nothing for a while. It comes every SilenceTold until
// something arrives.
type Waiting struct {
	Model string
	For   time.Duration
}

// Notice: something the user should know, in a line.
type Notice struct{ Text string }

// QueueChanged: the messages that wait for the next pause, oldest first.
type QueueChanged struct{ Messages []string }

// StatusChanged: the figures of the status line, and those of the session.
type StatusChanged struct {
	Status Status
	Stats  Stats
}

// Status is what the status line shows.
type Status struct {
	Model string
	// Effort is how long the model thinks, empty where that is not said.
	Effort string
	// Tokens is what the next request would hold, Limit the window.
	Tokens int
	Limit  int
	Mode   gate.Mode
	// Threshold is the total at which compression is due, 0 when there is none.
	Threshold int
	// Freed is what density has saved so far, in tokens (D-49).
	Freed int
	// Unsaved says that the session on disk is behind.
	Unsaved bool
	// Unconfined is set while commands run without the sandbox, as it was set.
	Unconfined bool
	// Jobs is how many commands run in the background.
	Jobs int
	// Todo is the progress of the todo list while something of it is left, in a line.
	Todo string
}

func (TurnStarted) event()        {}
func (TurnEnded) event()          {}
func (UserMessage) event()        {}
func (MessageReturned) event()    {}
func (TextDelta) event()          {}
func (ReasoningDelta) event()     {}
func (TextWasThinking) event()    {}
func (ReplyDiscarded) event()     {}
func (ReplyEnded) event()         {}
func (CallArriving) event()       {}
func (CallRequested) event()      {}
func (ToolStarted) event()        {}
func (ToolOutput) event()         {}
func (ToolEnded) event()          {}
func (ApprovalRequested) event()  {}
func (ApprovalSettled) event()    {}
func (DensityApplied) event()     {}
func (RequestStarted) event()     {}
func (CompressionStarted) event() {}
func (Compressed) event()         {}
func (UsageReported) event()      {}
func (Retry) event()              {}
func (Waiting) event()            {}
func (Notice) event()             {}
func (QueueChanged) event()       {}
func (StatusChanged) event()      {}

// Envelope is an event with the conversation in which it happened. Events are plain
// values, which a front end may keep.
type Envelope struct {
	// Conversation is the ID of the conversation.
	Conversation string
	Event        Event
}

// Kind names an event by its type, such as "ToolEnded".
func Kind(e Event) string { return reflect.TypeOf(e).Name() }

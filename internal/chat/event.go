package chat

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"agent/internal/atcmd"
	"agent/internal/base/arguments"
	"agent/internal/base/humanize"
	"agent/internal/chat/window"
	"agent/internal/gate"
	"agent/internal/llm"
	"agent/internal/session"
	"agent/internal/snapshot"
	"agent/internal/tools"
	"agent/internal/toolspec"
)

// An Event reports something that happened in the turn loop. Events are emitted in order, on the
// goroutine that owns the loop. A listener may merge deltas (TextDelta, ReasoningDelta, ToolOutput). It
// must show every other event.
type Event interface{ event() }

// TurnStarted reports that the loop starts to process a message.
type TurnStarted struct{}

// TurnEnded reports that the loop is idle again. Err is nil when the model finished by itself.
type TurnEnded struct {
	Outcome Outcome
	Err     error
	// Changes lists the files that edits and commands of the turn changed.
	Changes snapshot.Changes
}

// UserMessage reports that a message of the user is in the history and on disk. Included and
// Skipped list the files that the @ processor included and skipped.
type UserMessage struct {
	Text     string
	Included []atcmd.IncludedFile
	Skipped  []atcmd.SkippedPath
}

// MessageReturned reports that a message of the user could not be sent. For example, it includes a
// missing file, or the provider refused it (D-50). The message is no longer in the history. The screen
// puts it back into the prompt for editing.
type MessageReturned struct{ Message atcmd.Message }

// TextDelta is a part of the model's answer.
type TextDelta struct{ Delta string }

// ReasoningDelta is a part of the model's reasoning.
type ReasoningDelta struct{ Delta string }

// TextWasThinking reports that the text since the last ReplyEnded was reasoning. The answer follows.
type TextWasThinking struct{}

// ReplyDiscarded reports that the deltas since the last ReplyEnded are void. The reply starts again
// (see Retry), or its request was refused.
type ReplyDiscarded struct{}

// ReplyEnded reports that the reply is complete and stored. Text is the whole answer. Interrupted is
// set if the reply was ended early.
type ReplyEnded struct {
	Text        string
	Interrupted bool
}

// CallArriving reports that the model has begun to write a call; its arguments follow.
type CallArriving struct {
	Name string
	// Label describes the call in words, as far as it is known.
	Label toolspec.Label
}

// CallRequested reports that the model requested a call. The call may still be refused.
type CallRequested struct {
	// Call numbers the calls of a session from 1.
	Call     int
	ID, Name string
	// Label describes the call in words.
	Label     toolspec.Label
	Arguments arguments.Arguments
}

// ToolStarted reports that a call begins to run (after its approval, if it needs one).
type ToolStarted struct {
	// Call numbers the calls of a session from 1. Ids from the provider may repeat.
	Call int
	ID   string
	Name string
	// Label describes the call in words.
	Label toolspec.Label
}

// ToolOutput is a part of the output of a running command.
type ToolOutput struct {
	Call int
	Data string
}

// ToolEnded reports that a call is done and its answer stored. It is also emitted for calls that never
// ran (refused, malformed, interrupted).
type ToolEnded struct {
	Call     int
	ID       string
	Name     string
	Label    toolspec.Label
	Traits   tools.Traits
	Answer   tools.Answer
	Duration time.Duration
	// Typed is set for a command that the user ran.
	Typed bool
	// Denied is the user's decision to refuse the call, or nil. Unanswered is set if the user
	// interrupted the turn instead.
	Denied     *Decision
	Unanswered bool
}

// ApprovalRequested reports that the loop waits for a call of Answer with the ID of the Approval.
type ApprovalRequested struct{ Approval Approval }

// ApprovalSettled reports that the approval prompt with this ID no longer needs an answer.
type ApprovalSettled struct{ ID int }

// DensityApplied reports that pruning made the context smaller before a request.
type DensityApplied window.Density

// RequestStarted reports that a request is sent to the model. Events about changes of the context
// for this request come before it.
type RequestStarted struct{}

// Compressed reports that a compression ran, or found nothing to compress.
type Compressed window.Compression

// AsideChanged reports whether a side question is running.
type AsideChanged struct{ Running bool }

// CompressionStarted reports that a request for a summary is being sent to a model. Compressed follows,
// unless the request fails or is interrupted.
type CompressionStarted struct{ Strategy, Model string }

// ProgramWaiting reports that a hook or a check takes long while the turn waits for it. Names is ""
// when the wait ends.
type ProgramWaiting struct{ Names string }

// Retry reports that a request failed and will be sent again after Delay. Where is the endpoint and the
// model, and Reason the failure.
type Retry struct {
	Attempt       int
	Delay         time.Duration
	Where, Reason string
}

// Problem describes the failure and where it happened.
func (r Retry) Problem() string { return llm.PrefixPlace(r.Where, r.Reason) }

// Waiting reports that the model has sent nothing for a while. It is emitted every SilenceInterval until
// something arrives.
type Waiting struct {
	Model string
	For   time.Duration
}

// Noted reports a change of the notes for later sessions. State is proposed, kept, agreed, edited or
// deleted. Basis lists the files that the note is based on.
type Noted struct {
	ID, State, Text string
	Basis           []string
}

// Warmed reports a request sent only to keep the conversation in the provider's cache. Its reply is
// discarded.
type Warmed struct {
	session.CacheRefresh
	At time.Time
	// Settled is set once the next request has been made. Saved is the amount in USD that the next
	// request showed to be saved. Several refreshes of one wait save together. The last one then
	// contains the sum.
	Settled bool
	Saved   float64
}

// Searched reports that the model's server searched the web. Query is empty if the server does not
// report it.
type Searched struct {
	Query   string
	Sources []string
}

// String describes the search in a line.
func (s Searched) String() string {
	text := "the model's server searched the web"
	if s.Query != "" {
		text += ": " + strconv.Quote(s.Query)
	}
	if len(s.Sources) > 0 {
		text += " (" + humanize.Count(len(s.Sources), "source") + ": " + strings.Join(s.Sources, " ") + ")"
	}
	return humanize.Line(text, 1000)
}

// Notice is a line that the user should read.
type Notice struct{ Text string }

// TurnCost reports the cost of a user's turn and its agents, formatted by Stats.CostSince. It also
// contains the session's cost so far in USD. The screen does not print this event, because the result
// line of the turn shows both costs.
type TurnCost struct {
	Turn         string
	SessionTotal float64
}

func (e TurnCost) String() string {
	return "cost: " + e.Turn + ", the session " + humanize.Dollars(e.SessionTotal)
}

// QueueChanged lists the messages that wait for the next pause, oldest first.
type QueueChanged struct{ Messages []string }

// StatusChanged contains the new figures of the status line and of the session.
type StatusChanged struct {
	Status Status
	Stats  Stats
}

// Status holds the figures of the status line.
type Status struct {
	Model string
	// Effort is the reasoning effort, or "" if the settings do not set it.
	Effort string
	// Tokens is the size of the next request in tokens, and Limit the size of the context window.
	Tokens int
	Limit  int
	Mode   gate.Mode
	// Threshold is the number of tokens at which compression runs, or 0 if there is none.
	Threshold int
	// Freed is the number of tokens pruned so far (D-49).
	Freed int
	// Unsaved is set if the session log on disk is incomplete.
	Unsaved bool
	// Unconfined is set while the settings allow commands to run without the sandbox.
	Unconfined bool
	// Jobs is the number of commands that run in the background.
	Jobs int
	// Agents is the number of agents that run in the background.
	Agents int
	// Todo describes the progress of the todo list in one line. It is "" if no task is open.
	Todo string
}

func (TurnStarted) event()        {}
func (TurnEnded) event()          {}
func (TurnCost) event()           {}
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
func (AsideChanged) event()       {}
func (CompressionStarted) event() {}
func (Compressed) event()         {}
func (ProgramWaiting) event()     {}
func (UsageReported) event()      {}
func (Retry) event()              {}
func (Waiting) event()            {}
func (Warmed) event()             {}
func (Searched) event()           {}
func (Notice) event()             {}
func (Noted) event()              {}
func (QueueChanged) event()       {}
func (StatusChanged) event()      {}

// Kind names an event by its type, such as "ToolEnded".
func Kind(e Event) string { return reflect.TypeOf(e).Name() }

// emitter passes on an event of a chat, to the interface and the session log.
type emitter func(Event)

// notice shows the user a line, truncated to a maximum length.
func (e emitter) notice(format string, args ...any) {
	e(Notice{Text: humanize.Brief(fmt.Sprintf(format, args...))})
}

// Approval types for interfaces. The gates make the decisions.
type (
	// Approval is a call or a turn that waits for a user's decision.
	Approval = gate.Approval
	// Decision answers an Approval.
	Decision = gate.Decision
)

package chat

import (
	"time"

	"agent/internal/gate"
	"agent/internal/history"
	"agent/internal/reachlog"
	"agent/internal/settings"
	"agent/internal/tools"
)

// call is one tool call, from the model's request to its answer.
type call struct {
	// Call is the view of the call for gates.
	gate.Call
	tool tools.Tool
	// unknown is set if no such tool exists.
	unknown bool
	// remarked is the model's reason for the call, from an extra argument. notes tell the model the
	// right names.
	remarked string
	notes    []string
	// plan describes the effect of the call. It is made once, so that the approved plan is the
	// applied one.
	plan tools.Plan
	// refused is the reason why the call will not run: it is malformed, unknown or denied. It is
	// "" if the call may run.
	refused string
	// denied is the user's decision to refuse the call, else nil.
	denied *Decision
	// asked is the decision about the call for the record, nil if there was none.
	asked *history.Decision
	// unanswered is set if the user interrupted the turn instead of deciding.
	unanswered bool
	// replaced is set if a gate replaced the arguments.
	replaced bool
	// stops is the reason why the turn ends with the call, nil if the turn continues.
	stops error
	// typed is set if the user typed the command.
	typed   bool
	started time.Time
	// took is the time that a call ran, without the time that its answer waited for the answers of
	// other calls.
	took time.Duration
	// reached has the hosts that the call reached.
	reached *reachlog.List
	answer  tools.Answer
}

// Answers to calls that did not run.
const (
	answerInterrupted = "interrupted by the user before it finished; the effect, if any, is unknown"
	answerTooMany     = "not run: only the first %d calls of a reply are run; repeat the call if it is still needed"
)

// runner runs the calls of the model. It belongs to the owner of the chat.
type runner struct {
	inbox    inbox
	emit     emitter
	now      func() time.Time
	tools    *tools.Registry
	env      *tools.Env
	settings *settings.Settings
	history  *history.Service
	asker    *asker
	// within names the agent that makes the calls, nil in a conversation of the user.
	within *SubagentOf
	// below returns the instructions that apply to a file; nil if there are none.
	below func(file string) []NestedInstructions
	// gates are passed by each planned call, in their order; consent is the last of them.
	gates   []gate.Gate
	consent *gate.Consent
	// outputLimit returns how many tokens one result may take now (D-41).
	outputLimit func() int
	// writing is a lock that a call which may change files holds while it runs. Agents share the
	// lock of their parent.
	writing chan struct{}
	// archive returns content that has left the context, nil if no record is kept.
	archive tools.Archive
	// searched counts searches of the web, with their price.
	searched func(n int, usd float64)
	// store adds an answer to the history.
	store func(*history.Content) error
	// numbered counts the calls of a session, ran the calls of the model among them that were
	// taken up.
	numbered, ran int
	// nested holds instructions that go into the history before the next request.
	nested []history.Block
	// advised records the advice about the sandbox that calls of the latest reply were given.
	advised *tools.Advised
	// syntax judges the files that the calls of the latest reply edit.
	syntax *syntax
	// said holds the notes about names that the model has already read.
	said map[string]bool
	// instruct queues a message of the user that replaces the refused calls.
	instruct func(text string)
}

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
	// remarked is the model's reason for the call, from an extra argument. notes contain the correct
	// names of tools and parameters for the model.
	remarked string
	notes    []string
	// plan describes the effect of the call. It is made once, so that agent applies the plan that the
	// user approved.
	plan tools.Plan
	// refused is the reason why the call does not run: it is malformed, unknown or denied. It is "" if
	// the call may run.
	refused string
	// denied is the user's decision to refuse the call, or nil.
	denied *Decision
	// asked is the decision about the call for the session log, or nil if there was none.
	asked *history.Decision
	// unanswered is set if the user interrupted the turn instead of deciding.
	unanswered bool
	// replaced is set if a gate replaced the arguments.
	replaced bool
	// stops is the reason why the turn ends with the call, or nil if the turn continues.
	stops error
	// typed is set if the user typed the command.
	typed   bool
	started time.Time
	// took is the time for which a call ran. It excludes the time in which its answer waited for the
	// answers of other calls.
	took time.Duration
	// reached lists the hosts that the call connected to.
	reached *reachlog.HostList
	answer  tools.Answer
}

// Answers to calls that did not run.
const (
	answerInterrupted = "interrupted by the user before it finished; the effect, if any, is unknown"
	answerTooMany     = "not run: only the first %d calls of a reply are run; repeat the call if it is still needed"
)

// runner runs the calls of the model. Only the owner goroutine of the chat uses it.
type runner struct {
	inbox    inbox
	emit     emitter
	now      func() time.Time
	tools    *tools.Registry
	env      *tools.Env
	settings *settings.Settings
	history  *history.Service
	asker    *asker
	// within describes the subagent that makes the calls. It is nil in a conversation of the user.
	within *SubagentConfig
	// below returns the instructions that apply to a file; nil if there are none.
	below func(file string) []NestedInstructions
	// gates are the gates that each planned call passes, in this order. consent is the last.
	gates   []gate.Gate
	consent *gate.Consent
	// outputLimit returns the limit of one result in tokens, which depends on the context (D-41).
	outputLimit func() int
	// writing is a lock that a call holds while it runs, if it may change files. Agents share the lock
	// of their parent.
	writing chan struct{}
	// archive returns pruned content. It is nil if the session is not recorded.
	archive tools.Archive
	// searched counts web searches and their price in USD.
	searched func(n int, usd float64)
	// store adds an answer to the history.
	store func(*history.Content) error
	// numbered counts the calls of a session. ran counts the calls of the model that began to run.
	numbered, ran int
	// nested holds instructions to add to the history before the next request.
	nested []history.Block
	// advised records the sandbox advice in the answers to the calls of the latest reply.
	advised *tools.AdviceGiven
	// syntax checks the files that the calls of the latest reply edit.
	syntax *syntax
	// said holds the notes about names that the model has already received.
	said map[string]bool
	// instruct queues a message of the user, sent instead of an approval of the refused calls.
	instruct func(text string)
}

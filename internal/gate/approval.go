package gate

import (
	"slices"

	"agent/internal/tools"
)

// A Mode is an approval mode. It determines which kinds of calls run without approval.
type Mode string

// The approval modes, from the most to the least restrictive.
const (
	// ModeReadOnly refuses every edit, command and network call.
	ModeReadOnly Mode = "read-only"
	// ModePlan refuses the same calls as ModeReadOnly until the user approves a plan.
	ModePlan Mode = "plan"
	// ModeAsk requires approval for edits, commands and network calls.
	ModeAsk Mode = "ask"
	// ModeAutoEdit runs edits and requires approval for other calls.
	ModeAutoEdit Mode = "auto-edit"
	// ModeFullAuto runs everything, except in the home folder and except calls on guarded files.
	ModeFullAuto Mode = "full-auto"
)

// Modes returns the modes in the order in which Shift+Tab selects them.
func Modes() []Mode {
	return []Mode{ModeAsk, ModeAutoEdit, ModeFullAuto, ModePlan, ModeReadOnly}
}

// IsReadOnly reports whether the mode forbids all changes, even if a rule allows a call.
func (m Mode) IsReadOnly() bool { return m == ModeReadOnly || m == ModePlan }

// ModeNames returns the names of the modes in settings.
func ModeNames() []string {
	names := make([]string, 0, len(Modes()))
	for _, m := range Modes() {
		names = append(names, string(m))
	}
	return names
}

// AllowsMoreThan reports whether some calls run without approval in this mode but not in other.
func (m Mode) AllowsMoreThan(other Mode) bool {
	narrowFirst := []Mode{ModeReadOnly, ModePlan, ModeAsk, ModeAutoEdit, ModeFullAuto}
	return slices.Index(narrowFirst, m) > slices.Index(narrowFirst, other)
}

// An Approval is a call, or a turn, that waits for a user's decision.
type Approval struct {
	ID int
	// Agent and AgentID name the subagent that requests approval. They are "" for the conversation
	// itself.
	Agent, AgentID string
	// Task is the title of the subagent's task.
	Task string
	// Call is the number of the call, 0 if the turn waits without a call.
	Call    int
	Tool    string
	Traits  tools.Traits
	Preview tools.Preview
	// Always names the calls that "always" would allow for the rest of the session, for example
	// `commands "go test"` or "edits". It is empty if "always" is not offered.
	Always string
	// ForGood names the calls that can be allowed permanently in this project, with the rights that
	// this includes. It is empty if that is not offered.
	ForGood string
	// Often names the calls that Kept covers, and how often the user has approved them. It is empty
	// if that was seldom.
	Often string
	// Sandbox describes the approval mode in which commands in the sandbox run without approval. It
	// is empty if that mode is not offered.
	Sandbox string
	// After has one line for each further call of the same reply that will probably need approval
	// next.
	After []string
	// Repeats is set if the turn waits because the model repeats itself. It names the repeated
	// calls. The question is whether to continue, and the reason of a refusal is the instruction
	// for the model.
	Repeats string
}

// A Decision answers an Approval.
type Decision struct {
	Allow bool
	// Always allows calls of the same kind for the rest of the session.
	Always bool
	// Keep allows calls of the same kind permanently in this project.
	Keep bool
	// Sandbox allows the call, and changes to the offered approval mode.
	Sandbox bool
	// Reason is the user's text for the model if the decision is a refusal.
	Reason string
	// Answers contains one answer to each inquiry of the preview.
	Answers []tools.InquiryAnswer
}

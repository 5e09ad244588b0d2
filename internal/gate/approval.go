package gate

import (
	"slices"

	"agent/internal/tools"
)

// A Mode is an approval mode. It determines which kinds of call run without asking.
type Mode string

// The approval modes, from the most to the least careful.
const (
	// ModeReadOnly refuses every edit, command and network call.
	ModeReadOnly Mode = "read-only"
	// ModePlan refuses the same calls as ModeReadOnly, until the user agrees to a plan.
	ModePlan Mode = "plan"
	// ModeAsk asks before edits, commands and network calls.
	ModeAsk Mode = "ask"
	// ModeAutoEdit runs edits and asks before the rest.
	ModeAutoEdit Mode = "auto-edit"
	// ModeFullAuto runs everything.
	ModeFullAuto Mode = "full-auto"
)

// Modes returns the modes in the order of Shift+Tab.
func Modes() []Mode {
	return []Mode{ModeAsk, ModeAutoEdit, ModeFullAuto, ModePlan, ModeReadOnly}
}

// IsReadOnly reports whether calls cannot change anything in this mode, even if a rule allows
// them.
func (m Mode) IsReadOnly() bool { return m == ModeReadOnly || m == ModePlan }

// ModeNames returns the names of the modes in settings.
func ModeNames() []string {
	names := make([]string, 0, len(Modes()))
	for _, m := range Modes() {
		names = append(names, string(m))
	}
	return names
}

// AllowsMoreThan reports whether some calls run unasked in this mode and not in other.
func (m Mode) AllowsMoreThan(other Mode) bool {
	narrowFirst := []Mode{ModeReadOnly, ModePlan, ModeAsk, ModeAutoEdit, ModeFullAuto}
	return slices.Index(narrowFirst, m) > slices.Index(narrowFirst, other)
}

// An Approval is a call, or a turn, that waits for a user's decision.
type Approval struct {
	ID int
	// Agent and AgentID name the agent that asks; they are "" for the conversation itself.
	Agent, AgentID string
	// Task is the title of the task of the agent that asks.
	Task string
	// Call is the number of the call, 0 if the turn waits.
	Call    int
	Tool    string
	Traits  tools.Traits
	Preview tools.Preview
	// Always names the calls that "always" would allow for the rest of the session, for example
	// `commands "go test"` or "edits". It is empty if always is not offered.
	Always string
	// ForGood names the calls that could be allowed permanently in this project, with the rights that
	// this gives. It is empty if that is not offered.
	ForGood string
	// Often tells how often the user has agreed to calls that Kept covers, and names them. It
	// is empty if that was seldom.
	Often string
	// Sandbox describes the approval mode in which commands in the sandbox run without a question. It is
	// empty if that mode is not offered.
	Sandbox string
	// After has one line for each further call of the same reply that will probably be asked
	// about next.
	After []string
	// Repeats is set if the turn waits because the model repeats itself, and names the repeated
	// calls. The question is whether to continue; the reason of a refusal is the instruction for
	// the model.
	Repeats string
}

// A Decision answers an Approval.
type Decision struct {
	Allow bool
	// Always allows calls of the same kind for the rest of the session.
	Always bool
	// Keep allows calls of the same kind permanently, in this project.
	Keep bool
	// Sandbox allows the call, and changes to the approval mode that was offered.
	Sandbox bool
	// Reason is the user's text for the model with a refusal.
	Reason string
	// Answers holds one answer to each inquiry of the preview.
	Answers []tools.InquiryAnswer
}

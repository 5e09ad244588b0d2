package gate

import (
	"slices"

	"agent/internal/tools"
)

// Mode is an approval mode: which kinds of call run without asking.
type Mode string

// The approval modes, from the most to the least careful.
const (
	// ModeReadOnly refuses every edit, command and network call.
	ModeReadOnly Mode = "read-only"
	// ModePlan refuses what ModeReadOnly refuses, until the person agrees to a plan.
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

// OnlyLooks reports whether calls can change nothing in this mode, even if a rule allows them.
func (m Mode) OnlyLooks() bool { return m == ModeReadOnly || m == ModePlan }

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

// Approval is a call, or a turn, that waits for a person's decision.
type Approval struct {
	ID int
	// Call is the number of the call, 0 when it is the turn that waits.
	Call    int
	Tool    string
	Traits  tools.Traits
	Preview tools.Preview
	// Always names what "always" would allow for the rest of the session, for
	// example `commands "go test"` or "edits". Empty when always is not offered.
	Always string
	// Kept names what would be allowed for good in this project, with what that permits. Empty
	// when that is not offered.
	Kept string
	// Often says how often the person has agreed to calls that Kept covers, and to which; empty
	// when that was seldom.
	Often string
	// After has a line for each further call of the same reply that is likely to be asked about
	// next.
	After []string
	// Repeats is set when the turn waits because the model repeats itself, and says what
	// repeats. The question is whether to continue; the reason of a refusal is the
	// instruction for the model.
	Repeats string
}

// Decision answers an Approval.
type Decision struct {
	Allow bool
	// Always allows the same kind for the rest of the session.
	Always bool
	// Keep allows the same kind for good, in this project.
	Keep bool
	// Reason is sent to the model with a refusal.
	Reason string
	// Answers are those to the preview's inquiries, one each.
	Answers []tools.Given
}

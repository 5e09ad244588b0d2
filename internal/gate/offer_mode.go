package gate

import (
	"agent/internal/settings"
)

// offerAfter is the number of consecutive approvals of commands in the sandbox after which the
// prompt offers the mode that runs them without approval.
const offerAfter = 5

// isConfined reports whether the mode auto-edit would run the command of a call without approval.
func isConfined(k Call) bool {
	p := k.Preview
	return k.Traits.Runs && p.Confined && p.Outside == "" && p.Unwatched == "" && p.Served == nil && len(p.Protected) == 0
}

// countConfined counts consecutive approvals of commands in the sandbox. Any answer other than a
// plain yes resets the count.
func (c *Consent) countConfined(k Call, d Decision) {
	if !isConfined(k) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.confined++
	if !d.Allow || d.Always || d.Keep || d.Sandbox {
		c.confined = 0
	}
}

// offerMode describes the mode that the approval prompt of a call offers, "" for none.
func (c *Consent) offerMode(k Call) string {
	c.mu.Lock()
	often := c.confined >= offerAfter
	c.mu.Unlock()
	if !often || !isConfined(k) || c.Mode() != ModeAsk || c.only != "" && !c.only.AllowsMoreThan(ModeAsk) {
		return ""
	}
	with := c.settings.Overlay() // a policy may forbid the mode
	if with.Set(settings.LayerSession, settings.ApprovalMode.Key(), string(ModeAutoEdit)) != nil || Mode(settings.ApprovalMode.Value(with)) != ModeAutoEdit {
		return ""
	}
	return "run sandboxed commands and edit files without asking (mode " + string(ModeAutoEdit) + ")"
}

// leaveAsk changes the mode from ask to auto-edit, and returns the notice for the user. It keeps a
// mode that the user has chosen meanwhile.
func (c *Consent) leaveAsk() string {
	if c.Mode() != ModeAsk {
		return ""
	}
	if err := c.settings.Set(settings.LayerSession, settings.ApprovalMode.Key(), string(ModeAutoEdit)); err != nil {
		return "can't change the approval mode: " + err.Error()
	}
	return "approval mode auto-edit: agent runs sandboxed commands and edits files without asking. To be asked again, type /approval ask"
}

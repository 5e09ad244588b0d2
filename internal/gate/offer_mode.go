package gate

import (
	"agent/internal/settings"
)

// offerAfter is the number of commands in the sandbox that a user agrees to, one after another,
// before the question offers the mode in which they run without one.
const offerAfter = 5

// isConfined reports whether the mode auto-edit would run the command of a call without a question.
func isConfined(k Call) bool {
	p := k.Preview
	return k.Traits.Runs && p.Confined && p.Outside == "" && p.Unwatched == "" && p.Served == nil && len(p.Protected) == 0
}

// countConfined counts the answers to questions about commands in the sandbox. Any other answer than
// a plain yes to one of them begins the count again.
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

// offerMode describes the mode that a question about a call offers, "" for none.
func (c *Consent) offerMode(k Call) string {
	c.mu.Lock()
	often := c.confined >= offerAfter
	c.mu.Unlock()
	if !often || !isConfined(k) || c.Mode() != ModeAsk || c.only != "" && !c.only.AllowsMoreThan(ModeAsk) {
		return ""
	}
	with := c.settings.Overlay() // a policy may forbid the mode
	if with.Set(settings.Session, settings.ApprovalMode.Key(), string(ModeAutoEdit)) != nil || Mode(settings.ApprovalMode.Of(with)) != ModeAutoEdit {
		return ""
	}
	return "run commands in the sandbox without asking (mode " + string(ModeAutoEdit) + ": edits too)"
}

// leaveAsk changes from the mode ask to auto-edit, and returns the notice for the user. A mode that
// the user has chosen meanwhile stays.
func (c *Consent) leaveAsk() string {
	if c.Mode() != ModeAsk {
		return ""
	}
	if err := c.settings.Set(settings.Session, settings.ApprovalMode.Key(), string(ModeAutoEdit)); err != nil {
		return "can't change the approval mode: " + err.Error()
	}
	return "approval mode auto-edit: commands in the sandbox and edits run without asking. To ask again, run: /approval ask"
}

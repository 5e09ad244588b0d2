package gate

import (
	"errors"
	"fmt"

	"agent/internal/settings"
	"agent/internal/tools"
)

// ErrPlanIsAnswer ends a turn in which no user can approve a plan. The plan is the answer.
var ErrPlanIsAnswer = errors.New("the plan is the answer")

// checkPlan asks the user whether the model may leave the mode plan and implement its plan. Modes,
// rules and hooks cannot answer this question.
func (c *Consent) checkPlan(k Call) Verdict {
	switch mode := c.Mode(); {
	case c.IsReview():
		return Verdict{Refusal: "no plan is needed; answer with your findings"}
	case mode != ModePlan:
		return Verdict{Refusal: fmt.Sprintf("the approval mode is %s, not plan: continue without approval of a plan", mode)}
	case c.Unattended:
		return Verdict{End: ErrPlanIsAnswer}
	}
	return Verdict{Ask: &Question{
		Approval: Approval{Tool: k.Name, Traits: k.Traits, Preview: k.Preview, Always: "edit files without asking (" + string(ModeAutoEdit) + ")"},
		Then:     c.agreed,
	}}
}

// agreed returns the verdict on a plan. An approval leaves the mode plan, unless the user has
// meanwhile chosen a mode that allows more.
func (c *Consent) agreed(d Decision) Verdict {
	switch {
	case !d.Allow && d.Reason == "":
		return Verdict{Refusal: "the user did not approve the plan", End: ErrDenied}
	case !d.Allow:
		return Verdict{Refusal: "the user does not approve the plan yet, and the mode stays plan. Their answer: " + d.Reason}
	}
	mode := ModeAsk
	if d.Always {
		mode = ModeAutoEdit
	}
	if mode.AllowsMoreThan(c.Mode()) {
		if err := c.settings.Set(settings.LayerSession, settings.ApprovalMode.Key(), string(mode)); err != nil {
			return Verdict{Refusal: "can't leave mode plan: " + err.Error(), End: ErrDenied}
		}
	}
	return Verdict{Answers: []tools.InquiryAnswer{{Chosen: []string{string(c.Mode())}}}}
}

// PlanNote returns the note for the model in the mode plan, "" in other modes.
func (c *Consent) PlanNote() string {
	if c.Mode() != ModePlan {
		return ""
	}
	return "[The approval mode is plan: look at what matters, change nothing, and " + c.planning() + ".]"
}

// planning returns the instruction to the model how to present a plan.
func (c *Consent) planning() string {
	switch {
	case c.IsReview(), c.agent:
		return "answer with what you found"
	case c.Unattended:
		return "answer with your plan"
	}
	return "call present_plan with what you would do, step by step"
}

// BeginReview restricts the mode to plan until the end of the turn. The model presents no plan in a
// review.
func (c *Consent) BeginReview() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.review = true
}

// IsReview reports whether the turn is a review.
func (c *Consent) IsReview() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.review
}

// DenialError returns the error with which a refused call ends an unattended turn. It is nil in a
// read-only mode: the model then answers without the call.
func (c *Consent) DenialError() error {
	if c.Mode().IsReadOnly() {
		return nil
	}
	return ErrDenied
}

package chat

import (
	"agent/internal/gate"
	"agent/internal/history"
	"agent/internal/session"
)

// deed returns the effects of a finished call on the machine, for the session log.
func (r *runner) deed(k *call) history.Effect {
	d := history.Effect{Asked: k.asked, Read: k.answer.Read}
	d.Wrote, d.Unlisted = r.env.FileChanges(k.answer.Change)
	if k.answer.Declined && d.Asked != nil {
		d.Asked = &history.Decision{By: d.Asked.By, Answer: "refused"}
	}
	ran := k.refused == ""
	if k.asked == nil && !ran {
		d.Asked = &history.Decision{By: "gate", Answer: "refused", Rule: k.refused}
	}
	if !ran {
		return d
	}
	if k.Traits.Reads && k.answer.View == nil && len(d.Read) == 0 && k.answer.Error == "" {
		d.Looked = k.Said.Title()
	}
	if d.Ran = k.Preview.Command; d.Ran != "" {
		d.Profile = r.profile(k)
	}
	if s := k.Preview.Served; s != nil {
		d.Served = s.String()
	}
	d.Hosts = k.reached.All()
	return d
}

// profile returns a description of the sandbox of a command.
func (r *runner) profile(k *call) string {
	switch {
	case k.Preview.Outside != "":
		return "outside"
	case k.Preview.Sandboxed:
		return "sandbox"
	}
	return "none"
}

// decisionOf returns the user's decision about a call, for the session log.
func decisionOf(d Decision, answered bool, a gate.Approval) *history.Decision {
	asked := &history.Decision{By: "person", Answer: "allowed"}
	switch {
	case !answered:
		asked.Answer = "unanswered"
	case !d.Allow:
		asked.Answer, asked.Rule = "refused", d.Reason
	case d.Sandbox && a.Sandbox != "":
		asked.Rule = a.Sandbox
	case d.Keep:
		asked.Rule = "for good: " + a.ForGood
	case d.Always:
		asked.Rule = "for the session: " + a.Always
	}
	return asked
}

// recordAct records an action that is not a call of the model. by is its cause: "a message" or "!!". log
// may be nil.
func recordAct(log *session.Log, by string, did history.Effect) error {
	if log == nil {
		return nil
	}
	return log.RecordAction(session.Action{By: by, Effect: did})
}

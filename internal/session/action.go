package session

import "agent/internal/history"

// An Action is an action of the program that is not a call of the model, such as running a hook.
type Action struct {
	// By is the part of the program that performed the action, such as "hook Stop", "check", "server
	// github", "login" or "undo".
	By string `json:"by"`
	history.Effect
}

// RecordAction records an action of the program that is not a call of the model.
func (l *Log) RecordAction(a Action) error { return l.record(TypeAction, a) }

// Action returns the action that the record contains. It returns false for a record of another type, or a
// damaged record.
func (r Record) Action() (Action, bool) {
	if r.Type != TypeAction {
		return Action{}, false
	}
	payload, err := decode(r)
	act, is := payload.(Action)
	return act, is && err == nil
}

// opening returns the payload of a record that opens or resumes a log. It returns false for any other
// record.
func (r Record) opening() (sessionPayload, bool) {
	if r.Type != TypeSession {
		return sessionPayload{}, false
	}
	payload, err := decode(r)
	opening, is := payload.(sessionPayload)
	return opening, is && err == nil
}

// LacksActions reports whether a record opens a part of a log that was written by an older program, which
// recorded no actions.
func (r Record) LacksActions() bool {
	opening, is := r.opening()
	return is && !opening.Acts
}

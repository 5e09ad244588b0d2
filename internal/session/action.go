package session

import "agent/internal/history"

// An Action is something that the program did beside the calls of the model, such as running a hook.
type Action struct {
	// By says for what it was done: "hook Stop", "check", "server github", "login", "undo".
	By string `json:"by"`
	history.Effect
}

// Action records something that the program did beside the calls of the model.
func (l *Log) Action(a Action) error { return l.record(TypeAction, a) }

// Action returns the recorded actions beside the calls of the model, false if it is no such
// record or is damaged.
func (r Record) Action() (Action, bool) {
	if r.Type != TypeAction {
		return Action{}, false
	}
	payload, err := decode(r)
	act, is := payload.(Action)
	return act, is && err == nil
}

// opening returns the payload of a record that opens a log or takes it up, false for another.
func (r Record) opening() (sessionPayload, bool) {
	if r.Type != TypeSession {
		return sessionPayload{}, false
	}
	payload, err := decode(r)
	opening, is := payload.(sessionPayload)
	return opening, is && err == nil
}

// LacksActions reports whether a record opens a part of a log that was written by an older program,
// which recorded no acts.
func (r Record) LacksActions() bool {
	opening, is := r.opening()
	return is && !opening.Acts
}

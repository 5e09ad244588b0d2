package session

import "agent/internal/history"

// An Act is something that the program did beside the calls of the model, such as running a hook.
type Act struct {
	// By says for what it was done: "hook Stop", "check", "server github", "login", "undo".
	By string `json:"by"`
	history.Effect
}

// Act records something that the program did beside the calls of the model.
func (l *Log) Act(a Act) error { return l.record(TypeAct, a) }

// Act returns the recorded actions beside the calls of the model, false if it is no such
// record or is damaged.
func (r Record) Act() (Act, bool) {
	if r.Type != TypeAct {
		return Act{}, false
	}
	payload, err := decode(r)
	act, is := payload.(Act)
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

// LacksActs reports whether a record opens a part of a log that was written by an older program,
// which recorded no acts.
func (r Record) LacksActs() bool {
	opening, is := r.opening()
	return is && !opening.Acts
}

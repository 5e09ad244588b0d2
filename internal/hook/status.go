package hook

import (
	"agent/internal/words"
)

// Status is a hook with what became of it, for people.
type Status struct {
	Name, Event, Matcher, Command, File string
	// Used says whether it is used, State in words why not.
	Used  bool
	State string
	// Runs counts its runs; Last says how the latest ended, and Took how long it ran.
	Runs       int
	Last, Took string
}

// Statuses lists the hooks in the order of the configuration.
func (r *Runner) Statuses() []Status {
	if r == nil {
		return nil
	}
	var all []Status
	for _, s := range r.all {
		state, used := "used", true
		if r.May != nil {
			if err := r.May(s.Hook); err != nil {
				state, used = err.Error(), false
			}
		}
		s.mu.Lock()
		if s.Once && s.runs > 0 {
			state = "ran once"
		}
		status := Status{Name: s.Name(), Used: used, Event: string(s.Event), Matcher: s.Matcher, Command: words.Line(s.Command, 0), File: s.File, State: state, Runs: s.runs, Last: s.last}
		if s.took > 0 {
			status.Took = words.Took(s.took)
		}
		s.mu.Unlock()
		all = append(all, status)
	}
	return all
}

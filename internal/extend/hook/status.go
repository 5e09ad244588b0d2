package hook

import (
	"agent/internal/base/humanize"
)

// Status describes a hook and its state for a user.
type Status struct {
	Name, Command, File string
	// Used is set if the hook is in use.
	Used bool
	// State describes the state of the hook. If the hook is not in use, it contains the reason.
	State string
	// Runs is the number of runs.
	Runs int
	// Last describes the end of the latest run.
	Last string
}

// Statuses returns the hooks in the order of the configuration.
func (r *Runner) Statuses() []Status {
	if r == nil {
		return nil
	}
	var all []Status
	for _, s := range r.all {
		status := Status{Name: s.Name(), Command: humanize.Line(s.Command, 0), File: s.File, Used: true, State: "used", Runs: int(s.runs.Load())}
		if err := r.May(s.Hook); err != nil {
			status.State, status.Used = err.Error(), false
		}
		if s.Once && status.Runs > 0 {
			status.State = "ran once"
		}
		if last := s.last.Load(); last != nil {
			status.Last = *last
		}
		all = append(all, status)
	}
	return all
}

package slash

import (
	"context"
	"fmt"
	"strconv"

	"agent/internal/base/humanize"
	"agent/internal/base/table"
	"agent/internal/command"
)

// Jobs provides the background jobs.
type Jobs struct {
	// List lists the jobs, oldest first. End ends one of them.
	List func() []command.Job
	End  func(id int)
}

func jobsCommand(d Deps) command.Command {
	return command.Command{
		Name: "jobs", Aliases: []string{"ps", "bashes"}, Help: "list background commands, or end one",
		Forms: []command.Form{
			{Does: "list them", Run: command.ShowLines(func(context.Context, []string) ([]string, error) { return listJobs(d.Jobs.List()), nil })},
			{Args: "end N", Does: "end one", Run: showOne(d.endJob), Complete: func([]string) (running []command.Completion) {
				for _, job := range d.Jobs.List() {
					if job.Running() {
						running = append(running, command.Completion{Value: strconv.Itoa(job.ID), Help: humanize.Line(job.Command, ledgerWidth)})
					}
				}
				return running
			}},
		},
	}
}

// listJobs lists the jobs, one per line, with the files that contain their output.
func listJobs(jobs []command.Job) []string {
	if len(jobs) == 0 {
		return []string{"No background commands."}
	}
	var rows [][]string
	for _, job := range jobs {
		rows = append(rows, []string{strconv.Itoa(job.ID), job.State(), humanize.Line(job.Command, 0)})
		if file := job.Spool(); file != "" {
			rows = append(rows, []string{"", "", "output in " + file})
		}
	}
	return table.Lines("rll", rows)
}

func (d Deps) endJob(_ context.Context, id string) ([]string, error) {
	for _, job := range d.Jobs.List() {
		switch {
		case strconv.Itoa(job.ID) != id:
		case !job.Running():
			return nil, fmt.Errorf("job %d has already ended: %s", job.ID, job.State())
		default:
			d.Jobs.End(job.ID)
			return []string{fmt.Sprintf("Ended job %d: %s", job.ID, humanize.Line(job.Command, ledgerWidth))}, nil
		}
	}
	return nil, fmt.Errorf("no job %q. Run: /jobs", id)
}

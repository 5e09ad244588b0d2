package slash

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"agent/internal/command"
	"agent/internal/table"
	"agent/internal/words"
)

// Job is a command that the model put in the background.
type Job struct {
	ID int
	// State says whether it runs, since when, or how it ended.
	State   string
	Running bool
	Command string
	// Output is the file that holds what it printed, "" for none.
	Output string
}

// endJob is the first argument of "/jobs end N".
const endJob = "end"

func jobsCommand(d Deps) command.Command {
	return command.Command{
		Name: "jobs", Aliases: []string{"ps", "bashes"}, MaxArgs: 2,
		Usage: []command.Form{{Does: "list them"}, {Args: "end N", Does: "end one"}},
		Help:  "show what runs in the background, or end it",
		Run: func(_ context.Context, args []string) (command.Output, error) {
			switch {
			case len(args) == 0:
				return command.Output{Lines: listJobs(d.Jobs())}, nil
			case args[0] != endJob:
				return command.Output{}, fmt.Errorf("unknown word %q; %s", args[0], jobsCommand(d).Takes())
			case len(args) == 1:
				return command.Output{}, errors.New("say which: /jobs end N")
			}
			return endJobOf(d, args[1])
		},
		Complete: func(args []string) []command.Completion {
			if len(args) == 0 {
				return []command.Completion{{Value: endJob, Help: "end one"}}
			}
			var running []command.Completion
			for _, job := range d.Jobs() {
				if job.Running {
					running = append(running, command.Completion{Value: strconv.Itoa(job.ID), Help: words.Line(job.Command, ledgerWidth)})
				}
			}
			return running
		},
	}
}

// listJobs are the jobs, a line each, and where to read on.
func listJobs(jobs []Job) []string {
	if len(jobs) == 0 {
		return []string{"Nothing was put in the background."}
	}
	var rows [][]string
	for _, job := range jobs {
		rows = append(rows, []string{strconv.Itoa(job.ID), job.State, words.Line(job.Command, 0)})
		if job.Output != "" {
			rows = append(rows, []string{"", "", "output in " + job.Output})
		}
	}
	return table.Lines("rll", rows)
}

func endJobOf(d Deps, id string) (command.Output, error) {
	for _, job := range d.Jobs() {
		switch {
		case strconv.Itoa(job.ID) != strings.TrimSpace(id):
		case !job.Running:
			return command.Output{}, fmt.Errorf("job %d has ended already: %s", job.ID, job.State)
		default:
			d.EndJob(job.ID)
			return command.Output{Lines: []string{fmt.Sprintf("job %d was ended: %s", job.ID, words.Line(job.Command, ledgerWidth))}}, nil
		}
	}
	return command.Output{}, fmt.Errorf("there is no job %q; /jobs lists them", id)
}

package command

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

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

func (c *Commands) jobsCommand() Command {
	return Command{
		Name: "jobs", Aliases: []string{"ps", "bashes"}, MaxArgs: 2,
		Usage: []Form{{"", "list them"}, {"end N", "end one"}},
		Help:  "show what runs in the background, or end it",
		Run: func(_ context.Context, args []string) (Output, error) {
			switch {
			case len(args) == 0:
				return Output{Lines: c.listJobs()}, nil
			case args[0] != endJob:
				return Output{}, fmt.Errorf("unknown word %q; %s", args[0], c.jobsCommand().takes())
			case len(args) == 1:
				return Output{}, errors.New("say which: /jobs end N")
			}
			return c.endJob(args[1])
		},
		Complete: func(args []string) []Completion {
			if len(args) == 0 {
				return []Completion{{Value: endJob, Help: "end one"}}
			}
			var running []Completion
			for _, job := range c.deps.Jobs() {
				if job.Running {
					running = append(running, Completion{Value: strconv.Itoa(job.ID), Help: words.Line(job.Command, ledgerWidth)})
				}
			}
			return running
		},
	}
}

// listJobs are the jobs, a line each, and where to read on.
func (c *Commands) listJobs() []string {
	jobs := c.deps.Jobs()
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

func (c *Commands) endJob(id string) (Output, error) {
	for _, job := range c.deps.Jobs() {
		switch {
		case strconv.Itoa(job.ID) != strings.TrimSpace(id):
		case !job.Running:
			return Output{}, fmt.Errorf("job %d has ended already: %s", job.ID, job.State)
		default:
			c.deps.EndJob(job.ID)
			return Output{Lines: []string{fmt.Sprintf("job %d was ended: %s", job.ID, words.Line(job.Command, ledgerWidth))}}, nil
		}
	}
	return Output{}, fmt.Errorf("there is no job %q; /jobs lists them", id)
}

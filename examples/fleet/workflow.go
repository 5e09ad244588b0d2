package main

import (
	"errors"
	"fmt"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

const (
	// patience is the time without a heartbeat after which a worker's tasks move to another worker.
	patience = 5 * time.Second
	// longest is the time limit of one attempt.
	longest = 2 * time.Hour
	// mostAttempts is the greatest number of attempts for a task.
	mostAttempts = 10
	// Verdict is the signal that approves or rejects a patch.
	Verdict = "verdict"
)

// RunTask is the workflow of one task. It runs agent until the task is done or fails permanently.
func RunTask(ctx workflow.Context, task Task) (Result, error) {
	r := Result{Task: task.ID}
	turns := task.MaxTurns
	for wait := time.Second; ; wait = min(2*wait, time.Minute) {
		attempt, err := attempt(ctx, task, task.MaxUSD-r.spent(task), turns)
		r.Attempts++
		var late *temporal.TimeoutError
		switch {
		case errors.As(err, &late):
			r.Lost++
			r.USD += task.MaxUSD
			r.Reason = "its worker was lost"
		case err != nil:
			return r, err
		default:
			r.USD += attempt.USD
			turns -= attempt.Turns
			r.Reason = attempt.Error
			switch outcome, again := judge(attempt.Exit); {
			case outcome == Done:
				r.Reason, r.Outcome, r.Answer, r.Patch = "", Done, attempt.Answer, attempt.Patch
				return reviewed(ctx, task, r), nil
			case !again:
				r.Outcome = outcome
				return r, nil
			}
		}
		if r.Attempts >= mostAttempts {
			r.Outcome = GaveUp
			return r, nil
		}
		if turns <= 0 || r.spent(task) >= task.MaxUSD {
			r.Outcome = Exceeded
			return r, nil
		}
		if err := workflow.Sleep(ctx, wait); err != nil {
			return r, err
		}
	}
}

// spent returns the cost of the attempts whose outcome is known, in USD.
func (r Result) spent(task Task) float64 { return r.USD - float64(r.Lost)*task.MaxUSD }

func attempt(ctx workflow.Context, task Task, usd float64, turns int) (attempt Attempt, err error) {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: longest, HeartbeatTimeout: patience, RetryPolicy: &temporal.RetryPolicy{MaximumAttempts: 1},
	})
	err = workflow.ExecuteActivity(ctx, Agent{}.Run, task, usd, turns).Get(ctx, &attempt)
	return attempt, err
}

// judge returns the outcome that an exit status of agent means, or whether to try again.
func judge(exit int) (outcome Outcome, again bool) {
	switch exit {
	case 0:
		return Done, false
	case 3, 6, 130: // the provider failed, the session is still locked, or the run was interrupted
		return "", true
	case 4:
		return Exceeded, false
	}
	return GaveUp, false
}

// reviewed waits for a person's verdict if the task requires one.
func reviewed(ctx workflow.Context, task Task, r Result) Result {
	if !task.Review {
		return r
	}
	var yes bool
	workflow.GetSignalChannel(ctx, Verdict).Receive(ctx, &yes)
	if !yes {
		r.Outcome, r.Reason = Refused, "a person said no"
	}
	return r
}

// Fleet is a set of tasks with a common cost limit.
type Fleet struct {
	Tasks []Task
	// MaxUSD limits the cost of all tasks. A task begins only if its own limit is within the
	// remaining amount.
	MaxUSD float64
	// AtOnce is the number of tasks that run concurrently.
	AtOnce int
}

// RunFleet is the workflow of a fleet. It returns the results in the order of the tasks.
func RunFleet(ctx workflow.Context, fleet Fleet) ([]Result, error) {
	results := make([]Result, len(fleet.Tasks))
	spent, reserved, running, next := 0.0, 0.0, 0, 0
	ended := workflow.NewSelector(ctx)
	start := func(i int) {
		task := fleet.Tasks[i]
		running++
		reserved += task.MaxUSD
		child := workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{WorkflowID: task.ID})
		ended.AddFuture(workflow.ExecuteChildWorkflow(child, RunTask, task), func(f workflow.Future) {
			running--
			reserved -= task.MaxUSD
			if err := f.Get(ctx, &results[i]); err != nil {
				results[i] = Result{Task: task.ID, Outcome: GaveUp, Reason: fmt.Sprint(err)}
			}
			spent += results[i].USD
		})
	}
	for next < len(fleet.Tasks) || running > 0 {
		for next < len(fleet.Tasks) && running < max(1, fleet.AtOnce) && spent+reserved+fleet.Tasks[next].MaxUSD <= fleet.MaxUSD {
			start(next)
			next++
		}
		if running == 0 {
			break
		}
		ended.Select(ctx)
	}
	for ; next < len(fleet.Tasks); next++ {
		results[next] = Result{Task: fleet.Tasks[next].ID, Outcome: NoBudget}
	}
	return results, nil
}

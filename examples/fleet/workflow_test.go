package main

import (
	"testing"

	"github.com/stretchr/testify/mock"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
)

// What an exit status leads to, attempt after attempt.
func TestRunTask(t *testing.T) {
	lost := temporal.NewTimeoutError(enums.TIMEOUT_TYPE_HEARTBEAT, nil)
	for name, tc := range map[string]struct {
		ends     []any // an Attempt or an error, one an attempt
		outcome  Outcome
		attempts int
		usd      float64
	}{
		"done at once":                      {[]any{Attempt{USD: 0.2}}, Done, 1, 0.2},
		"held, then done":                   {[]any{Attempt{Exit: 6}, Attempt{Exit: 6}, Attempt{USD: 0.1}}, Done, 3, 0.1},
		"the provider fails, then done":     {[]any{Attempt{Exit: 3, USD: 0.1}, Attempt{USD: 0.1}}, Done, 2, 0.2},
		"interrupted, then done":            {[]any{Attempt{Exit: 130}, Attempt{}}, Done, 2, 0},
		"its worker is lost":                {[]any{lost, Attempt{USD: 0.2}}, Done, 2, 1.2},
		"wrong flags":                       {[]any{Attempt{Exit: 2}}, GaveUp, 1, 0},
		"not allowed":                       {[]any{Attempt{Exit: 5, USD: 0.1}}, GaveUp, 1, 0.1},
		"failed":                            {[]any{Attempt{Exit: 1}}, GaveUp, 1, 0},
		"its bounds":                        {[]any{Attempt{Exit: 4, USD: 1}}, Exceeded, 1, 1},
		"nothing is left for a new attempt": {[]any{Attempt{Exit: 3, USD: 1}}, Exceeded, 1, 1},
		"no request is left":                {[]any{Attempt{Exit: 3, Turns: 5}}, Exceeded, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			var suite testsuite.WorkflowTestSuite
			env := suite.NewTestWorkflowEnvironment()
			env.RegisterActivity(Agent{}.Run)
			for _, end := range tc.ends {
				attempt, _ := end.(Attempt)
				err, _ := end.(error)
				env.OnActivity("Run", mock.Anything, mock.Anything, mock.Anything, mock.Anything).Return(attempt, err).Once()
			}
			env.ExecuteWorkflow(RunTask, Task{ID: "a", MaxUSD: 1, MaxTurns: 5})
			var r Result
			if err := env.GetWorkflowResult(&r); err != nil {
				t.Fatal(err)
			}
			if r.Outcome != tc.outcome || r.Attempts != tc.attempts || r.USD < tc.usd-0.001 || r.USD > tc.usd+0.001 {
				t.Errorf("got %+v", r)
			}
		})
	}
}

// A task begins only while its bound fits into that of all; what others left of theirs is free.
func TestRunFleetKeepsTheSum(t *testing.T) {
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestWorkflowEnvironment()
	env.RegisterWorkflow(RunTask)
	env.RegisterActivity(Agent{}.Run)
	env.OnActivity("Run", mock.Anything, mock.Anything, mock.Anything, mock.Anything).Return(Attempt{USD: 0.6}, nil)
	fleet := Fleet{MaxUSD: 2.5, AtOnce: 4}
	for _, id := range []string{"a", "b", "c", "d", "e"} {
		fleet.Tasks = append(fleet.Tasks, Task{ID: id, MaxUSD: 1, MaxTurns: 5})
	}
	env.ExecuteWorkflow(RunFleet, fleet)
	var results []Result
	if err := env.GetWorkflowResult(&results); err != nil {
		t.Fatal(err)
	}
	done, spent := 0, 0.0
	for i, r := range results {
		if r.Task != fleet.Tasks[i].ID {
			t.Errorf("result %d is of %s", i, r.Task)
		}
		if r.Outcome == Done {
			done++
		} else if r.Outcome != NoBudget {
			t.Errorf("%+v", r)
		}
		spent += r.USD
	}
	if done != 3 || spent > fleet.MaxUSD {
		t.Errorf("%d were done for %.2f", done, spent)
	}
}

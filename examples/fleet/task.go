package main

import "encoding/json"

// Queue is the task queue of all workers.
const Queue = "agent-fleet"

// Task is one job for one agent.
type Task struct {
	// ID names the task everywhere: its workflow, its session, its worktree. It consists of
	// at most 64 letters, digits, dots, dashes and underscores.
	ID string
	// Repository is the folder of a git repository that every worker sees at this place.
	Repository string
	Prompt     string
	// Schema is the JSON Schema of the answer; without one the answer is text.
	Schema json.RawMessage `json:",omitempty"`
	// MaxUSD and MaxTurns bound what an attempt may cost, where prices are known, and how
	// many requests it may make. Both are needed.
	MaxUSD   float64
	MaxTurns int
	// Review has the patch wait for a person's yes.
	Review bool `json:",omitempty"`
}

// Outcome is how a task ended.
type Outcome string

// The outcomes.
const (
	Done     Outcome = "done"
	Refused  Outcome = "refused"   // a person said no to the patch
	GaveUp   Outcome = "gave up"   // the agent failed for good
	Exceeded Outcome = "exceeded"  // its own bounds were reached
	NoBudget Outcome = "no budget" // the bound of all tasks was reached before it began
)

// Result is what came of a task.
type Result struct {
	Task    string
	Outcome Outcome
	// Reason says why a task is not done.
	Reason string `json:",omitempty"`
	// Answer is the agent's: JSON that fits the schema, or a text.
	Answer json.RawMessage `json:",omitempty"`
	// Patch is what changed, as git apply takes it.
	Patch string `json:",omitempty"`
	// USD is what the attempts cost. One that a dead worker took along counts with all that
	// it was allowed to spend, since nobody reports what it spent.
	USD float64
	// Attempts counts the runs of the agent, Lost those among them that ended with their
	// worker.
	Attempts, Lost int
}

package main

import "encoding/json"

// Queue is the task queue of all workers.
const Queue = "agent-fleet"

// Task is one task for agent.
type Task struct {
	// ID is the name of the task's workflow, session and worktree. It consists of at most 64
	// letters, digits, dots, dashes and underscores.
	ID string
	// Repository is the folder of a git repository. Every worker has it at this path.
	Repository string
	Prompt     string
	// Schema is the JSON Schema of the answer. Without a schema the answer is text.
	Schema json.RawMessage `json:",omitempty"`
	// MaxUSD limits the cost of the task if prices are known. MaxTurns limits the number of
	// requests. Both are required.
	MaxUSD   float64
	MaxTurns int
	// Review is set if a person must approve the patch.
	Review bool `json:",omitempty"`
}

// Outcome is the way in which a task ended.
type Outcome string

// The outcomes of a task.
const (
	Done     Outcome = "done"
	Refused  Outcome = "refused"   // a person rejected the patch
	GaveUp   Outcome = "gave up"   // the agent failed permanently
	Exceeded Outcome = "exceeded"  // the task reached its own limits
	NoBudget Outcome = "no budget" // the fleet reached its limit before the task began
)

// Result is the result of a task.
type Result struct {
	Task    string
	Outcome Outcome
	// Reason is the reason why a task is not done.
	Reason string `json:",omitempty"`
	// Answer is the answer of the agent: JSON that matches the schema, or a text.
	Answer json.RawMessage `json:",omitempty"`
	// Patch is the change, in the format of git apply.
	Patch string `json:",omitempty"`
	// USD is the cost of the attempts. An attempt that was lost with its worker counts with its
	// whole limit, because its cost is unknown.
	USD float64
	// Attempts counts the runs of agent. Lost counts the runs that were lost with their worker.
	Attempts, Lost int
}

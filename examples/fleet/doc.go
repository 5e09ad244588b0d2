// Command fleet runs many tasks of agent with Temporal. Each task is a repository, a prompt and a
// schema for the answer. A worker runs one agent for each task, in a separate worktree. Temporal
// provides retries, cost limits and approvals. agent provides its exit status, and sessions that
// resume where they ended.
//
//	fleet worker -agent PATH        take tasks
//	fleet run TASKS.json            give tasks and print their results, a line each
//	fleet yes|no TASK               answer a task whose patch waits for a person
package main

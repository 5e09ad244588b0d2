// Command fleet runs many tasks of agent with Temporal. A worker takes tasks, each a
// repository, a prompt and a schema for the answer, and runs one agent for each, in a
// worktree of its own. Retries, bounds of cost and a person's yes are Temporal's part; the
// agent's part is its exit status, and a session that continues where it was.
//
//	fleet worker -agent PATH        take tasks
//	fleet run TASKS.json            give tasks and print their results, a line each
//	fleet yes|no TASK               answer a task whose patch waits for a person
package main

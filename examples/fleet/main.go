package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "fleet:", err)
		os.Exit(1)
	}
}

var errUsage = errors.New("usage: fleet [-server HOST:PORT] [-namespace NAME] worker [-agent PATH] [-at-once N] [-- FLAGS OF THE AGENT] | run [-max-usd USD] [-at-once N] TASKS.json | yes TASK | no TASK")

func run(ctx context.Context, args []string) error {
	all := flag.NewFlagSet("fleet", flag.ContinueOnError)
	server := all.String("server", client.DefaultHostPort, "Temporal's address")
	namespace := all.String("namespace", client.DefaultNamespace, "Temporal's namespace")
	if err := all.Parse(args); err != nil {
		return err
	}
	if all.NArg() == 0 {
		return errUsage
	}
	c, err := client.Dial(client.Options{HostPort: *server, Namespace: *namespace})
	if err != nil {
		return err
	}
	defer c.Close()
	switch command, rest := all.Arg(0), all.Args()[1:]; command {
	case "worker":
		return work(c, rest)
	case "run":
		return give(ctx, c, rest)
	case "yes", "no":
		if len(rest) != 1 {
			return errUsage
		}
		return c.SignalWorkflow(ctx, rest[0], "", Verdict, command == "yes")
	}
	return errUsage
}

// work runs a worker until it is interrupted.
func work(c client.Client, args []string) error {
	flags := flag.NewFlagSet("worker", flag.ContinueOnError)
	program := flags.String("agent", "agent", "the agent")
	atOnce := flags.Int("at-once", 4, "how many agents run at the same time")
	if err := flags.Parse(args); err != nil {
		return err
	}
	w := worker.New(c, Queue, worker.Options{MaxConcurrentActivityExecutionSize: *atOnce})
	w.RegisterWorkflow(RunTask)
	w.RegisterWorkflow(RunFleet)
	w.RegisterActivityWithOptions(Agent{Program: *program, Args: flags.Args()}.Run, activity.RegisterOptions{Name: "Run"})
	return w.Run(worker.InterruptCh())
}

// give runs a fleet of tasks and prints the results.
func give(ctx context.Context, c client.Client, args []string) error {
	flags := flag.NewFlagSet("run", flag.ContinueOnError)
	usd := flags.Float64("max-usd", 10, "what all tasks may cost together")
	atOnce := flags.Int("at-once", 8, "how many tasks run at the same time")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return errUsage
	}
	data, err := os.ReadFile(flags.Arg(0))
	if err != nil {
		return err
	}
	fleet := Fleet{MaxUSD: *usd, AtOnce: *atOnce}
	if err := json.Unmarshal(data, &fleet.Tasks); err != nil {
		return fmt.Errorf("%s: %w", flags.Arg(0), err)
	}
	for _, task := range fleet.Tasks {
		if task.ID == "" || task.MaxUSD <= 0 || task.MaxTurns <= 0 {
			return fmt.Errorf("%s: the task %q needs an ID, MaxUSD and MaxTurns", flags.Arg(0), task.ID)
		}
	}
	running, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{TaskQueue: Queue}, RunFleet, fleet)
	if err != nil {
		return err
	}
	var results []Result
	if err := running.Get(ctx, &results); err != nil {
		return err
	}
	out := json.NewEncoder(os.Stdout)
	for _, result := range results {
		if err := out.Encode(result); err != nil {
			return err
		}
	}
	return nil
}

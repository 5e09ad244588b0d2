package slash

import (
	"context"

	"agent/internal/base/humanize"
	"agent/internal/base/table"
	"agent/internal/chat"
	"agent/internal/command"
)

// Agents provides the subagents of the conversation.
type Agents interface {
	// AgentLines describes the subagents that can be given tasks, and the subagents of the session.
	AgentLines() []string
	// AgentSavings returns the tokens that pruning saved or lost in the conversations of subagents. It
	// omits conversations in which pruning did neither.
	AgentSavings() []AgentSaving
	// RunningAgents returns the ids of the running subagents, with their tasks.
	RunningAgents() (ids, tasks []string)
	// StopAgents stops the subagent with an id, or all running subagents if id is "", and returns their
	// number.
	StopAgents(id string) (int, error)
}

// AgentSaving is the saving of pruning in the conversation of a subagent.
type AgentSaving struct {
	ID, Agent string
	chat.Saving
}

// tellAgents lists the savings of the subagents, then the sum of these and of the parent conversation.
func tellAgents(agents []AgentSaving, own chat.Saving) []string {
	if len(agents) == 0 {
		return nil
	}
	rows, sum := [][]string{}, own
	for _, a := range agents {
		rows = append(rows, []string{"agent " + a.Agent, a.ID, a.Saving.String()})
		sum = sum.Plus(a.Saving)
	}
	lines := table.Lines("lll", rows)
	if total := sum.String(); total != "" {
		lines = append(lines, "including subagents: pruning "+total)
	}
	return lines
}

func agentsCommand(d Deps) command.Command {
	return command.Command{
		Name: "agents", Aliases: []string{"agent"}, Help: "list subagents, or stop one",
		Forms: []command.Form{
			{Does: "list them", Run: command.ShowLines(func(context.Context, []string) ([]string, error) { return d.Agents.AgentLines(), nil })},
			{Args: "stop all", Does: "stop the running subagents", Run: command.ShowLines(func(context.Context, []string) ([]string, error) {
				n, err := d.Agents.StopAgents("")
				return []string{"Stopped " + humanize.Count(n, "subagent") + ". The model gets their output so far."}, err
			})},
			{Args: "stop ID", Does: "end one", Run: showOne(func(_ context.Context, id string) ([]string, error) {
				if _, err := d.Agents.StopAgents(id); err != nil {
					return nil, err
				}
				return []string{"Stopped subagent " + id + ". The model gets its output so far."}, nil
			}), Complete: func([]string) (working []command.Completion) {
				ids, tasks := d.Agents.RunningAgents()
				for i, id := range ids {
					working = append(working, command.Completion{Value: id, Help: tasks[i]})
				}
				return working
			}},
		},
	}
}

package slash_test

import (
	"strings"
	"testing"

	"agent/internal/chat"
	"agent/internal/slash"
)

// fakeAgents simulates the subagents of a conversation.
type fakeAgents struct{ savings []slash.AgentSaving }

func (fakeAgents) AgentLines() []string                 { return []string{"Agents:"} }
func (a fakeAgents) AgentSavings() []slash.AgentSaving  { return a.savings }
func (fakeAgents) RunningAgents() (ids, tasks []string) { return []string{"s-abcde"}, []string{"look"} }
func (fakeAgents) StopAgents(string) (int, error)       { return 2, nil }

// One command stops all subagents.
func TestStopAllAgents(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(d *slash.Deps) { d.Agents = fakeAgents{} })
	if lines := text(w.run(t, "/agents stop all")); lines != "Stopped 2 subagents. The model gets their output so far." {
		t.Error(lines)
	}
}

// /density lists the savings of subagents separately, and includes them in the total.
func TestDensityOfAgents(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(d *slash.Deps) {
		d.Agents = fakeAgents{[]slash.AgentSaving{{ID: "s-abcde", Agent: "explore", Saving: chat.Saving{Tokens: 24_000, Without: 9000, Saved: 8000, Cost: 0.02}}}}
	})
	w.session.stats.Saving = chat.Saving{Tokens: 1000, Without: 5000, Saved: -2000, Cost: -0.005}
	lines := text(w.run(t, "/density all"))
	for _, want := range []string{"agent explore  s-abcde  saved $0.02", "including subagents: pruning saved $0.015"} {
		if !strings.Contains(lines, want) {
			t.Errorf("no %q in\n%s", want, lines)
		}
	}
}

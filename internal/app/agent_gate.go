package app

import (
	"context"
	"time"

	"agent/internal/gate"
	"agent/internal/settings"
	"agent/internal/tools"
)

// gate returns the gate for calls that start subagents. It requires approval of each start if the setting
// agents is ask. It ends the turn after a subagent that needed an approval without a user to ask.
func (c *Subagents) gate() gate.Gate {
	return gate.Gate{
		Name: "agents", Stage: gate.StageConsent,
		Check: func(_ context.Context, call gate.Call) gate.Verdict {
			if call.Name != tools.TaskName || settings.Agents.Value(c.at.settings) != settings.AgentsAsk {
				return gate.Verdict{}
			}
			if c.at.options.Unattended {
				return gate.Verdict{Refusal: "refused: subagents require approval (agents is ask), and there is no user to ask", End: gate.ErrDenied}
			}
			return gate.Verdict{Ask: &gate.Question{
				Approval: gate.Approval{Tool: call.Name, Traits: call.Traits, Preview: call.Preview},
				Obsolete: func() bool { return settings.Agents.Value(c.at.settings) != settings.AgentsAsk },
				Then:     gate.VerdictOf,
			}}
		},
		After: func(_ context.Context, call gate.Call, answer tools.Answer, _ time.Duration) (tools.Answer, error) {
			if call.Name != tools.TaskName {
				return answer, nil
			}
			return answer, c.team.TurnError(call.ID)
		},
	}
}

package gate_test

import (
	"context"
	"fmt"

	"agent/internal/gate"
	"agent/internal/settings"
	"agent/internal/toolspec"
)

// The gates of a conversation check a call in the order of their stages. If no user can answer, a
// call that needs approval is refused.
func Example() {
	chosen := settings.New(settings.NewRegistry(settings.All(), nil))
	policy := &gate.Policy{Unattended: true}
	gates := append(gate.NewConsent(policy, chosen).Gates(), gate.NewLoopDetector(policy).Gate())
	for _, call := range []gate.Call{
		{Name: "read_file", Traits: toolspec.Traits{Reads: true}},
		{Name: "run_shell_command", Traits: toolspec.Traits{Runs: true}},
	} {
		refused := ""
		for _, g := range gate.SortGates(gates...) {
			if v := g.Ask(context.Background(), call); v.Refusal != "" && refused == "" {
				refused = g.Name
			}
		}
		fmt.Printf("%s: refused by %q\n", call.Name, refused)
	}
	// Output:
	// read_file: refused by ""
	// run_shell_command: refused by "approval"
}

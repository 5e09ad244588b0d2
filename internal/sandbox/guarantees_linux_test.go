package sandbox_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/protect"
	"agent/internal/protect/sensitive"
	"agent/internal/sandbox"
)

// Each backend fulfills exactly its guarantees in each profile. A command tries to break them
// all, one after the other.
func TestGuarantees(t *testing.T) {
	t.Parallel()
	for _, backend := range []sandbox.Backend{sandbox.None, sandbox.Landlock, sandbox.Namespaces} {
		for _, profile := range []sandbox.Profile{sandbox.ProfileReadOnly, sandbox.ProfileWork, sandbox.ProfileUnconfined} {
			for _, network := range []bool{false, true} {
				t.Run(backend.String()+"/"+profile.String()+map[bool]string{true: "/network"}[network], func(t *testing.T) {
					t.Parallel()
					s := use(t, backend)
					h := newHouse(t)
					key, ssh := filepath.Join(h.workspace, ".env"), filepath.Join(h.home, ".ssh/id_ed25519")
					write(t, key, "K=hunter2")
					policy := h.policy(profile)
					policy.Network, policy.Survey, policy.DenyRead = network, sensitive.New(h.workspace, sensitive.MaxFolders), protect.Secrets(h.home)
					c := sandbox.Confinement{Sandbox: s, Policy: policy}
					holds := c.Guarantees(profile)
					probes := []struct {
						what, line string
						kept       bool
					}{
						{"files", `echo x > ../sibling/new`, holds.Files},
						{"keys", `cat .env`, holds.Keys},
						{"keys by a pattern", `cat .e*`, holds.Keys},
						{"what hides .env", `cat .env`, c.Hides(key, profile)},
						{"what hides ~/.ssh", `cat ~/.ssh/id_ed25519`, c.Hides(ssh, profile)},
						{"what hides a/f", `cat a/f`, c.Hides(filepath.Join(h.workspace, "a/f"), profile)},
						{"network", `SANDBOX_TEST_TOOL=dial $SELF tcp $TCP`, holds.Network},
						{"signals", `kill -0 $VICTIM`, holds.Signals},
					}
					line := ""
					for i, probe := range probes {
						line += fmt.Sprintf("(%s) > /dev/null && echo %d works\n", probe.line, i)
					}
					got := h.run(s, policy, line+"echo end")
					if !strings.HasSuffix(got.output, "end\n") {
						t.Fatalf("%+v", got)
					}
					for i, probe := range probes {
						if works := strings.Contains(got.output, fmt.Sprintf("%d works\n", i)); works == probe.kept {
							t.Errorf("%s: guaranteed %t, yet %s works: %t\n%s", probe.what, probe.kept, probe.line, works, got.output)
						}
					}
				})
			}
		}
	}
}

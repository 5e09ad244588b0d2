package main

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"agent/internal/app"
)

// parsed runs a command line. The command only stores its options.
func parsed[O any](t *testing.T, newCommand func(keep func(O) error) *cobra.Command, line string) (got O, err error) {
	t.Helper()
	cmd := newCommand(func(o O) error { got = o; return nil })
	cmd.SetArgs(strings.Fields(line))
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	return got, cmd.ExecuteContext(t.Context())
}

func TestSessionFlags(t *testing.T) {
	t.Parallel()
	root := func(keep func(sessionOptions) error) *cobra.Command {
		return newRoot(world{}, func(_ context.Context, _ world, o sessionOptions) error { return keep(o) })
	}
	for line, want := range map[string]sessionOptions{
		"":                 {output: "text", input: "text"},
		"fix the tests":    {output: "text", input: "text", prompt: "fix the tests"},
		"-p fix the tests": {output: "text", input: "text", prompt: "fix the tests", headless: true},
		"--prompt= -m gpt --set a=b --set c=d --base-url u": {output: "text", input: "text", headless: true, settingsOptions: settingsOptions{
			model: "gpt", baseURL: "u", set: []string{"a=b", "c=d"},
		}},
		"-C dir --approval-mode ask --max-turns 3 --allow x --no-session --debug --output-format json --profile work": {
			output: "json", input: "text", debug: true, Options: app.Options{Workspace: "dir", Named: true, Allow: []string{"x"}, Record: app.Record{Off: true}},
			settingsOptions: settingsOptions{approvalMode: "ask", maxTurns: "3", profile: "work"},
		},
		"-c":     {output: "text", input: "text", Options: app.Options{Record: app.Record{Continue: true}}},
		"-r abc": {output: "text", input: "text", Options: app.Options{Record: app.Record{Resume: "abc"}}},
	} {
		got, err := parsed(t, root, line)
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(sessionOptions{}, settingsOptions{}, answerFlags{}, backgroundFlags{})); err != nil || diff != "" {
			t.Errorf("agent %s: %v %s", line, err, diff)
		}
	}
	for _, line := range []string{"-c -r abc", "-c --no-session", "-c=false --no-session", "-c --resume=", "--no-such-flag", "-m"} {
		if _, err := parsed(t, root, line); exitStatus(err) != exitUsage {
			t.Errorf("agent %s: %v", line, err)
		}
	}
}

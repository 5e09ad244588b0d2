package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"agent/internal/protect/sensitive"
	"agent/internal/sandbox"
	"agent/internal/settings"

	"github.com/spf13/cobra"
)

// sandboxOptions holds the flags of agent sandbox.
type sandboxOptions struct {
	settingsOptions
	workspace string
	// confined is the name of a sandbox profile. The embedded profile is the name of a settings profile.
	confined string
	command  []string
}

func newSandbox(w world) *cobra.Command {
	var o sandboxOptions
	cmd := &cobra.Command{
		Use:   "sandbox [--profile look|work] -- COMMAND…",
		Short: "Run a command in the sandbox, to test what it may do",
		Long: `Runs a command as agent would. With the profile look the command can read all files except
secret files, and can't change anything. With work it can also change the workspace, except
auto-executed files such as git hooks, and connect to servers that it starts.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage(errors.New("name a command to run, as in: agent sandbox -- go test ./pkg"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.command = args
			return runSandboxed(cmd.Context(), w, o)
		},
	}
	cmd.Flags().SetInterspersed(false) // flags after the command belong to the command
	repeatable(cmd.Flags(), &o.set, "set", "", "set `KEY=VALUE` for this run (repeatable)")
	completeFlag(cmd, "set", completeAssignments)
	cmd.Flags().StringVarP(&o.workspace, "workspace", "C", "", "the `DIR` to work in instead of the current folder")
	cmd.Flags().StringVar(&o.confined, "profile", sandbox.ProfileWork.String(), "the `PROFILE`: look (read-only) or work")
	return cmd
}

func runSandboxed(ctx context.Context, w world, o sandboxOptions) error {
	profile, err := sandbox.ParseProfile(o.confined)
	if err != nil {
		return usage(err)
	}
	f, s, err := w.configured(o.settingsOptions)
	if err != nil {
		return err
	}
	confined, remove, err := w.process.OpenWorkspace(o.workspace, s)
	if err != nil {
		return err
	}
	defer func() { _ = remove() }()
	box := sandbox.Detect()
	if !box.IsActive() {
		return fmt.Errorf("no sandbox is available: %s", box.Describe())
	}
	policy := w.process.SandboxPolicy(f, s, sensitive.New(confined.Root(), sensitive.MaxFolders), confined)
	policy.Profile = profile

	command := exec.CommandContext(ctx, o.command[0], o.command[1:]...)
	command.Stdin, command.Stdout, command.Stderr = w.stdin, w.stdout, w.stderr
	command.Dir = confined.Root()
	command.Env = sandbox.Environ(w.process.Environ, settings.SplitItems(settings.SandboxAllowEnv.Value(s)))
	// The command receives an interrupt from the terminal, and gets a moment to end.
	command.Cancel = func() error { return nil }
	command.WaitDelay = 2 * time.Second
	running, err := box.Start(ctx, command, policy)
	if err != nil {
		return err
	}
	err = running.Wait()
	for _, path := range running.End().Undone {
		fmt.Fprintf(w.people, "agent: %s is protected; the command's changes to it were reverted\n", path)
	}
	if failed, is := errors.AsType[*exec.ExitError](err); is {
		return statusError(exitCode(failed.ProcessState))
	}
	return err
}

// exitCode returns the exit code as a shell would report it.
func exitCode(state *os.ProcessState) int {
	if code := state.ExitCode(); code >= 0 {
		return code
	}
	return exitInterrupted
}

package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agent/internal/protect"
	"agent/internal/protect/survey"
	"agent/internal/sandbox"
	"agent/internal/settings"
	"agent/internal/workspace"

	"github.com/spf13/cobra"
)

// sandboxOptions are the flags of agent sandbox.
type sandboxOptions struct {
	settingsOptions
	workspace string
	// confined is the name of the sandbox's profile; profile is that of settings.
	confined string
	command  []string
}

func newSandbox(w world, run func(context.Context, world, sandboxOptions) error) *cobra.Command {
	var o sandboxOptions
	cmd := &cobra.Command{
		Use:   "sandbox [--profile look|work] -- COMMAND…",
		Short: "Run a command in the sandbox of the agent's commands, to see what it may do",
		Long: `sandbox runs a command as the agent would. In the profile look it can read
all but keys and change nothing; in work it can also change the workspace, except
for what runs later, such as git's hooks, and open connections to itself.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage(errors.New("name a command to run, as in: agent sandbox -- go test ./pkg"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.command = args
			return run(cmd.Context(), w, o)
		},
	}
	cmd.Flags().SetInterspersed(false) // flags behind the command are the command's
	cmd.Flags().StringArrayVar(&o.set, "set", nil, "set `KEY=VALUE` for this run (repeatable)")
	completeFlag(cmd, "set", completeAssignments)
	cmd.Flags().StringVarP(&o.workspace, "workspace", "C", "", "the `DIR` to work in instead of the current folder")
	cmd.Flags().StringVar(&o.confined, "profile", sandbox.Work.String(), "what it may do: look or work")
	return cmd
}

func runSandboxed(ctx context.Context, w world, o sandboxOptions) error {
	profile, err := sandbox.ParseProfile(o.confined)
	if err != nil {
		return usage(err)
	}
	f, err := w.folders()
	if err != nil {
		return err
	}
	s, _, err := newSettings(w, f, o.settingsOptions)
	if err != nil {
		return err
	}
	confined, remove, err := w.newWorkspace(o.workspace)
	if err != nil {
		return err
	}
	defer func() { _ = remove() }()
	box := sandbox.Detect()
	if !box.Active() {
		return fmt.Errorf("there is no sandbox here: %s", box.Why())
	}
	policy := sandboxPolicy(w, f, s, survey.New(confined.Root(), survey.MaxFolders), confined)
	policy.Profile = profile

	command := exec.CommandContext(ctx, o.command[0], o.command[1:]...)
	command.Stdin, command.Stdout, command.Stderr = w.stdin, w.stdout, w.stderr
	command.Dir = confined.Root()
	command.Env = sandbox.Environ(w.environ, settings.Items(settings.SandboxAllowEnv.Of(s)))
	// An interrupt reaches the command by itself; it has a moment to end of it.
	command.Cancel = func() error { return nil }
	command.WaitDelay = 2 * time.Second
	running, err := box.Start(ctx, command, policy)
	if err != nil {
		return err
	}
	err = running.Wait()
	for _, path := range running.End().Undone {
		fmt.Fprintf(w.people, "agent: %s is protected; what the command made of it was undone\n", path)
	}
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		return statusError(exitCode(failed.ProcessState))
	}
	return err
}

// exitCode is the code a shell would show.
func exitCode(state *os.ProcessState) int {
	if code := state.ExitCode(); code >= 0 {
		return code
	}
	return exitInterrupted
}

// sandboxPolicy is what commands in a workspace may do, but for the profile.
func sandboxPolicy(w world, f folders, s *settings.Settings, found *survey.Survey, place *workspace.Workspace) sandbox.Policy {
	root := place.Root()
	return sandbox.Policy{
		Workspace:  root,
		Temp:       place.TempDir(),
		AllowWrite: w.userPaths(settings.SandboxAllowWrite.Of(s)),
		DenyRead:   secrets(w, slices.Concat(ownFiles(w, f, s), w.userPaths(settings.SandboxDenyRead.Of(s)))),
		Protected:  protect.Paths(root),
		Survey:     found,
		AllowRead:  within(root, settings.Items(settings.SandboxAllowRead.Of(s))),
		Network:    settings.SandboxAllowNetwork.Of(s),
		Caches:     w.cacheFolder(root),
	}
}

// secrets are what no confined command may read: the usual places in the home folder,
// also where HOME is another, those of all users for root, those of the system, and
// further ones.
func secrets(w world, further []string) []string {
	homes := []string{w.home}
	if me, err := user.Current(); err == nil {
		homes = append(homes, me.HomeDir)
	}
	if os.Geteuid() == 0 {
		others, _ := filepath.Glob("/home/*")
		homes = append(homes, others...)
	}
	slices.Sort(homes)
	paths := slices.Concat(further, protect.SystemSecrets())
	for _, home := range slices.Compact(homes) {
		paths = append(paths, protect.Secrets(home)...)
	}
	return paths
}

// within are paths that are meant from a folder on.
func within(root string, paths []string) []string {
	for i, path := range paths {
		if !filepath.IsAbs(path) {
			paths[i] = filepath.Join(root, path)
		}
	}
	return paths
}

// ownFiles are the folders and files of the program itself.
func ownFiles(w world, f folders, s *settings.Settings) []string {
	own := []string{f.config, f.data, f.state}
	if keyfile := settings.AuthKeyfile.Of(s); keyfile != "" {
		own = append(own, w.userPaths(keyfile)...)
	}
	for i, path := range own {
		own[i] = realPath(path)
	}
	return own
}

// realPath is a path without symbolic links, as far as it exists.
func realPath(path string) string {
	for dir := path; ; dir = filepath.Dir(dir) {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(real, strings.TrimPrefix(path, dir))
		}
		if dir == filepath.Dir(dir) {
			return path
		}
	}
}

// userPaths are the paths of a list, ~ being the home folder.
func (w world) userPaths(list string) []string {
	var paths []string
	for _, path := range settings.Items(list) {
		if path == "~" || strings.HasPrefix(path, "~/") {
			path = w.home + path[1:]
		}
		paths = append(paths, w.path(path))
	}
	return paths
}

// prepareSandbox finds out how commands can be confined, and says so when they
// cannot be. The error is that they must be.
func (a *app) prepareSandbox() error {
	wanted := settings.Sandbox.Of(a.settings)
	if wanted == settings.SandboxOff {
		sandbox.Sweep()
		return nil
	}
	box := sandbox.Detect()
	if box.Backend() != sandbox.Helper {
		sandbox.Sweep()
	}
	switch {
	case box.Active():
		return nil
	case wanted == settings.SandboxRequire:
		return usage(fmt.Errorf("the setting sandbox is require, but there is none here: %s", box.Why()))
	}
	a.notices = append(a.notices, "Commands run without a sandbox: "+box.Why())
	return nil
}

// confinement is the sandbox of commands by the settings of the moment.
func (a *app) confinement() sandbox.Confinement {
	confined := sandbox.Confinement{
		Sandbox:  sandbox.Off("it is turned off"),
		Policy:   sandboxPolicy(a.world, a.folders, a.settings, a.survey, a.workspace),
		AllowEnv: settings.Items(settings.SandboxAllowEnv.Of(a.settings)),
	}
	if settings.Sandbox.Of(a.settings) != settings.SandboxOff {
		confined.Sandbox = sandbox.Detect()
	}
	return confined
}

// cacheFolder is where the commands of a workspace keep what they may use again,
// empty when there is no place for it.
func (w world) cacheFolder(root string) string {
	base := w.env("XDG_CACHE_HOME")
	if base == "" && w.home != "" {
		base = filepath.Join(w.home, ".cache")
	}
	if !filepath.IsAbs(base) {
		return ""
	}
	sum := sha256.Sum256([]byte(root))
	return filepath.Join(base, "agent", filepath.Base(root)+"-"+hex.EncodeToString(sum[:6]))
}

// checkSandbox says how commands are confined.
func checkSandbox(s *settings.Settings) finding {
	if settings.Sandbox.Of(s) == settings.SandboxOff {
		return finding{"note", "no sandbox: the setting sandbox is off", "commands that do more than look are asked about"}
	}
	box := sandbox.Detect()
	if !box.Active() {
		return finding{"note", "no sandbox: " + box.Why(), "commands that do more than look are asked about"}
	}
	return finding{"ok", "sandbox " + box.Backend().String() + ": " + box.Why(), ""}
}

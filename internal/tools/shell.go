package tools

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"agent/internal/base/fsutil"
	"agent/internal/base/humanize"
	"agent/internal/cmdline"
	"agent/internal/cmdline/programs"
	"agent/internal/git/gitcmd"
	"agent/internal/protect/sensitive"
	"agent/internal/sandbox"
	"agent/internal/shell"
	"agent/internal/snapshot"
	"agent/internal/toolspec"
	"agent/internal/workspace"
)

type shellArgs struct {
	Command        string `json:"command,omitempty" jsonschema:"needed unless action is given"`
	TimeoutSeconds int    `json:"timeout_seconds,omitempty"`
	Background     bool   `json:"background,omitempty" jsonschema:"start it as a job and return at once"`
	Directory      string `json:"directory,omitempty" jsonschema:"default the workspace"`
	Outside        string `json:"outside,omitempty" jsonschema:"why the command must run outside the sandbox"`
	Action         string `json:"action,omitempty" jsonschema:"instead of a command: list jobs, tail (new output of a job) or kill"`
	Job            int    `json:"job,omitempty"`
	WaitSeconds    int    `json:"wait_seconds,omitempty" jsonschema:"with tail: wait for output or the end of the job"`
}

// The actions on jobs.
const (
	actionList = "list"
	actionTail = "tail"
	actionKill = "kill"
)

// maxSeconds limits the times in a call, in seconds.
const maxSeconds = 24 * 60 * 60

// ShellToolName is the name of the tool that also runs "!CMD".
const ShellToolName = "run_shell_command"

// runShellCommand returns the tool that runs command lines and controls background commands.
func runShellCommand() Tool {
	t := Tool{
		Name: ShellToolName,
		Description: "Runs a command line with " + shell.NameInToolDescription + " and answers with its output and exit code. There is no input and no terminal: use flags that avoid questions and pagers. " +
			"Processes started with & end with the command; background keeps a server or watcher running. " +
			"Plain commands that only read (ls, cat, git diff, grep …) run without asking.",
		Traits: Traits{
			Runs:      true,
			Key:       "command",
			Density:   toolspec.Density{Command: []string{"command"}},
			Essential: true,
			Words: []toolspec.Verbs{
				{Given: "job", Now: "looking at", Done: "looked at", Do: "look at", About: "job {job}"},
				{Now: "running", Done: "ran", Do: "run"},
			},
		},
	}
	return define(t, planShell)
}

func planShell(ctx context.Context, env *Env, args shellArgs) (Plan, error) {
	if err := args.check(); err != nil {
		return Plan{}, err
	}
	if args.Action != "" {
		return Plan{
			Preview: Preview{Title: strings.TrimSpace(args.Action + " " + args.jobName()), ReadOnly: true},
			Apply:   func(ctx context.Context) Answer { return env.jobAction(ctx, args) },
		}, nil
	}
	line := cmdline.Read(args.Command)
	if line.RunsApplyPatch() {
		return planNoPatch(), nil
	}
	if env.Jobs.Kind() == shell.Bash {
		args, line = args.within(env.Workspace, line)
	}
	command, err := args.command(env, line)
	if err != nil {
		return Plan{}, err
	}
	preview := previewCommand(ctx, env, args, command)
	command.Profile, command.ReadOnly = preview.profile(args), preview.ReadOnly
	if command.ReadOnly {
		command.Confined.Policy.DenyRead = slices.Concat(command.Confined.Policy.DenyRead, preview.hidden)
	}
	command.Typed, command.FoundInside = env.Typed, preview.FoundInside
	command.Confined.Policy.AllowRead = slices.Clone(command.Confined.Policy.AllowRead)
	for _, found := range preview.Protected { // the user has allowed them when the command runs
		command.Confined.Policy.AllowRead = append(command.Confined.Policy.AllowRead, fsutil.ResolveIn(env.Workspace.Root(), found.Path))
	}
	return Plan{
		Preview: preview,
		Apply:   func(ctx context.Context) Answer { return runCommand(ctx, env, args, command) },
	}, nil
}

func runCommand(ctx context.Context, env *Env, args shellArgs, command shell.Command) Answer {
	if args.Background {
		return startJob(env.Jobs, command)
	}
	settle := func() snapshot.Mark { return "" }
	if !command.ReadOnly {
		settle = env.Snapshots.BeginCommand(ctx)
	}
	result, err := env.Jobs.Run(ctx, command, env.Output)
	changed := settle()
	if err != nil {
		return failedAnswer(err)
	}
	var answer Answer
	if result.Job != nil {
		answer = leftRunning(result)
	} else {
		answer = env.answerCommand(command, result)
	}
	answer.Change, answer.Changed = changed, env.Snapshots.Paths(changed)
	return answer
}

func previewCommand(ctx context.Context, env *Env, args shellArgs, command shell.Command) Preview {
	preview := Preview{Title: "run " + humanize.Headline(args.Command), Command: args.Command, Background: args.Background}
	if command.Dir != env.Workspace.Root() {
		preview.Directory = env.Workspace.Rel(command.Dir)
		preview.Title += " in " + preview.Directory
	}
	confined := command.Confined.Guarantees(sandbox.ProfileWork).Files
	if confined && args.Outside != "" {
		preview.Outside = args.Outside
		preview.Title += " — outside the sandbox: " + humanize.Headline(args.Outside)
	}
	kind := env.Jobs.Kind()
	if line, err := parseFor(kind, command.Read()); err == nil {
		place := env.place(ctx, command)
		place.OutsideSandbox = preview.Outside != ""
		preview.Commands = line.UnprovenCommands(place)
		preview.ReadOnly = len(preview.Commands) == 0 && preview.Outside == ""
		if preview.ReadOnly {
			preview.hidden, preview.ReadOnly = env.keptBelow(command)
			preview.ReadOnly = preview.ReadOnly && (command.Confined.Guarantees(sandbox.ProfileReadOnly).Files || len(preview.hidden) == 0)
		}
		if kind != shell.Bash {
			preview.Commands = nil // rules only match command lines of bash
		}
	}
	preview.Confined = confined && preview.Outside == ""
	preview.Sandboxed = preview.Confined
	if preview.ReadOnly {
		return preview
	}
	preview = env.warnUnwatched(preview)
	command.Profile = preview.profile(args)
	preview.Protected = env.protectedNames(command)
	if !command.Confined.Guarantees(command.Profile).Keys {
		preview.Protected = append(preview.Protected, env.readBelow(command)...)
	}
	if !preview.Confined {
		found := env.foundInside(command)
		preview.Protected, preview.FoundInside = slices.Concat(preview.Protected, found), len(found) > 0
		if preview.Outside != "" {
			env.markWritten(command, preview.Commands)
		}
		return preview
	}
	if found := command.Confined.Policy.Survey; preview.Unwatched == "" && found != nil && found.IsPartial() {
		// The command could write an auto-executed file into an unwatched folder without any
		// notice.
		preview.Unwatched = fmt.Sprintf("the workspace has more than %s, and agent watches only that many", humanize.Count(sensitive.MaxFolders, "folder"))
	}
	if preview.Unwatched != "" {
		preview.Confined = false
		preview.Title += " — " + preview.Unwatched
	}
	return preview
}

// parseFor parses a command line by the syntax of this kind of shell.
func parseFor(kind shell.Kind, line *cmdline.CommandLine) (cmdline.Line, error) {
	switch {
	case kind == shell.Bash:
		return line.PlainCommands()
	case kind.IsPowerShell():
		return cmdline.ParsePowerShell(line.String())
	}
	return cmdline.Line{}, errors.New("unknown shell")
}

// place returns the location in which a command would run, for the proof that it is read-only.
func (e *Env) place(ctx context.Context, command shell.Command) cmdline.CommandContext {
	return cmdline.CommandContext{
		Dir:    e.Workspace.CommandPath(command.Dir),
		OnDisk: e.Workspace.DiskPath,
		Inside: e.isFree,
		Program: func(name string) bool {
			_, err := e.Jobs.LookPath(name, command.Distrusted...)
			return err == nil
		},
		Repository: func(dir string) bool {
			keys, err := gitcmd.UnsafeKeys(ctx, dir)
			return err == nil && len(keys) == 0
		},
		Searchable: func(program string) bool {
			if e.followsLinks(program, command) && e.linksOut(command) {
				return false
			}
			policy := command.Confined.Policy
			return command.Confined.Guarantees(sandbox.ProfileReadOnly).Keys || policy.Survey == nil || len(policy.Survey.ScanBefore().KeyFiles) == 0
		},
	}
}

// profile returns the sandbox profile of a command: Look if the command is known to be read-only,
// and all rights if it leaves the sandbox.
func (p Preview) profile(args shellArgs) sandbox.Profile {
	switch {
	case args.Outside != "":
		return sandbox.ProfileUnconfined
	case p.ReadOnly:
		return sandbox.ProfileReadOnly
	default:
		return sandbox.ProfileWork
	}
}

func (a shellArgs) jobName() string {
	if a.Job == 0 {
		return "jobs"
	}
	return fmt.Sprintf("job %d", a.Job)
}

func (a shellArgs) check() error {
	if a.TimeoutSeconds < 0 || a.TimeoutSeconds > maxSeconds || a.WaitSeconds < 0 || a.WaitSeconds > maxSeconds {
		return fmt.Errorf("timeout_seconds and wait_seconds must be between 0 and %d", maxSeconds)
	}
	switch a.Action {
	case "":
		if strings.TrimSpace(a.Command) == "" {
			return errors.New("missing command: give the command line to run, or an action on a job")
		}
		if len(a.Command) > shell.MaxLine {
			return shell.TooLongError(a.Command)
		}
		if at := strings.IndexFunc(a.Command, isControl); at >= 0 {
			return fmt.Errorf("the command contains the control character %s, which can hide what would run. Write it as an escape, such as $'\\r', or \\033 for printf", humanize.EscapeInvisible(string([]rune(a.Command[at:])[0])))
		}
	case actionList, actionTail, actionKill:
		if strings.TrimSpace(a.Command) != "" {
			return fmt.Errorf("action %s takes no command; omit one of them", a.Action)
		}
		if a.Action != actionList && a.Job == 0 {
			return fmt.Errorf("action %s needs job, the number of the job", a.Action)
		}
	default:
		return fmt.Errorf("unknown action %q (valid: %s, %s, %s)", a.Action, actionList, actionTail, actionKill)
	}
	return nil
}

// isControl reports whether r is a control character that a terminal would execute instead of
// showing it.
func isControl(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }

// within turns "cd DIR &&" at the start of a command into its directory, so that the user and the
// rules see the command itself. It keeps a cd to a folder outside of the workspace or through a
// link.
func (a shellArgs) within(w *workspace.Workspace, line *cmdline.CommandLine) (shellArgs, *cmdline.CommandLine) {
	dir, rest, ok := line.SplitCd()
	if !ok {
		return a, line
	}
	below := cmdline.JoinBelow(a.Directory, dir)
	abs := filepath.Clean(cmdline.JoinBelow(w.Root(), below))
	if folder, err := w.Folder(below); err != nil || folder != abs {
		return a, line
	}
	if real, err := filepath.EvalSymlinks(abs); err != nil || real != abs {
		return a, line
	}
	a.Directory, a.Command = below, rest
	return a.within(w, cmdline.Read(rest))
}

func (a shellArgs) command(env *Env, line *cmdline.CommandLine) (shell.Command, error) {
	dir := env.Workspace.Root()
	if a.Directory != "" {
		var err error
		if dir, err = env.Workspace.Folder(a.Directory); err != nil {
			return shell.Command{}, err
		}
	}
	timeout := a.TimeoutSeconds
	if timeout == 0 && !a.Background {
		timeout = env.Limits.ShellTimeoutSeconds
	}
	var confined sandbox.Confinement
	if env.Confinement != nil {
		confined = env.Confinement()
	}
	room := env.Limits.searchLimits().room(notesBytes)
	if showsFiles(line) {
		room = env.Limits.shownRoom()
	}
	return shell.Command{
		Line: a.Command, Reading: line, Leaves: !env.OfAgent, Call: env.Call, Dir: dir, Timeout: time.Duration(timeout) * time.Second,
		OutputBytes: room, Fit: fitter(line), SpoolDir: env.Workspace.TempDir(),
		Confined: confined, Distrusted: slices.Concat(env.Workspace.Folders(), confined.Policy.Writable()),
	}, nil
}

// showsFiles reports whether a command line only shows files unchanged, so that edits may quote
// them.
func showsFiles(line *cmdline.CommandLine) bool {
	parsed, err := line.PlainCommands()
	if err != nil {
		return false
	}
	shown := false
	for _, command := range parsed.Commands {
		shows := programs.IsNamed(command[0].Text, programs.PrintsLines)
		if !shows && command[0].Text != "cd" {
			return false
		}
		shown = shown || shows
	}
	return shown
}

// planNoPatch plans a command that uses apply_patch as one program among others. The plan runs
// nothing.
func planNoPatch() Plan {
	exit := shell.ExitNotFound
	return Plan{
		Preview: Preview{Title: "answer that apply_patch is not a program", ReadOnly: true},
		Apply: func(context.Context) Answer {
			return Answer{Error: "apply_patch is a tool here, not a program; call it with the patch. No part of the command was run", ExitCode: &exit, Note: "[exit 127]"}
		},
	}
}

// jobAction executes a call of the shell tool that controls jobs.
func (e *Env) jobAction(ctx context.Context, args shellArgs) Answer {
	if args.Action == actionList {
		all := e.Jobs.List()
		return Answer{Text: listJobs(all), Summary: humanize.Count(len(all), "job")}
	}
	job, err := e.Jobs.Find(args.Job)
	if err != nil {
		return failedAnswer(err)
	}
	if args.Action == actionKill {
		job.Kill(ctx)
	} else if err := job.Wait(ctx, time.Duration(args.WaitSeconds)*time.Second); err != nil {
		return failedAnswer(err)
	}
	return e.lookAt(job)
}

package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

type shellArgs struct {
	Command        string `json:"command" jsonschema:"the command line, run by bash with no input and no terminal; empty when action is given"`
	TimeoutSeconds int    `json:"timeout_seconds,omitempty" jsonschema:"end the command after this time; without it the setting shell-timeout-seconds holds, and none in the background"`
	Background     bool   `json:"background,omitempty" jsonschema:"start the command as a job and answer at once; for servers and watchers"`
	Directory      string `json:"directory,omitempty" jsonschema:"the folder to run in; without it the workspace"`
	Action         string `json:"action,omitempty" jsonschema:"instead of a command: list the jobs, tail (show what a job printed since the last look) or kill"`
	Job            int    `json:"job,omitempty" jsonschema:"the number of the job for tail and kill"`
	WaitSeconds    int    `json:"wait_seconds,omitempty" jsonschema:"with tail: wait up to this long for new output or the end of the job"`
}

// The actions on jobs.
const (
	actionList = "list"
	actionTail = "tail"
	actionKill = "kill"
)

// mostSeconds bounds the times a model may ask for.
const mostSeconds = 24 * 60 * 60

// ShellToolName is the tool behind "!CMD".
const ShellToolName = "run_shell_command"

// runShellCommand runs command lines, and looks after those in the background.
func runShellCommand() Tool {
	t := Tool{
		Name:         ShellToolName,
		Kind:         KindShell,
		KeyParameter: "command",
		Description: "Runs a command line with bash and answers with its output (standard output and error as they come) and exit code. " +
			"It cannot be answered questions: there is no input and no terminal. Long output keeps its beginning and end; the whole is in a file that is named. " +
			"When the command ends, so does everything it put in the background with &; use background for what shall go on, and action list, tail and kill to look after it. " +
			"Plain commands that only look (ls, cat, git diff, grep …) run without asking.",
	}
	return withPreview(define(t, runShell), previewShell)
}

func runShell(ctx context.Context, env *Env, args shellArgs) Answer {
	if err := args.check(); err != nil {
		return failed(err)
	}
	if args.Action != "" {
		return jobAction(ctx, env.Jobs, args)
	}
	command, err := args.commandLine(env)
	if err != nil {
		return failed(err)
	}
	limit := env.Limits.OutputBytes()
	if args.Background {
		return startJob(env.Jobs, command, newLog(limit, env.Workspace.TempDir()))
	}
	return env.Jobs.call(ctx, command, newOutput(limit, env.Workspace.TempDir()), env.Output)
}

func startJob(jobs *Jobs, command commandLine, log *output) Answer {
	job, err := jobs.start(command, log)
	if err != nil {
		log.close()
		return failed(err)
	}
	kept := ""
	if path := log.spool.path(); path != "" {
		kept = ", its output goes to " + path
	}
	return Answer{
		Result: fmt.Sprintf("Started as job %d%s. Look at it with action tail, end it with action kill.", job.id, kept),
		Spool:  log.spool.path(),
	}
}

func previewShell(env *Env, args shellArgs) (Preview, error) {
	if err := args.check(); err != nil {
		return Preview{}, err
	}
	if args.Action != "" {
		return Preview{Title: strings.TrimSpace(args.Action + " " + args.jobName()), LooksOnly: true}, nil
	}
	command, err := args.commandLine(env)
	if err != nil {
		return Preview{}, err
	}
	preview := Preview{Title: "run " + firstLine(args.Command), Command: args.Command}
	if args.Directory != "" {
		preview.Title += " in " + env.Workspace.Rel(command.dir)
	}
	if parsed, err := ParseCommand(args.Command); err == nil {
		preview.Commands = unsureParts(parsed, Surroundings{Dir: command.dir, Inside: func(path string) bool {
			_, err := env.Workspace.Resolve(path)
			return err == nil
		}})
		preview.LooksOnly = len(preview.Commands) == 0
	}
	return preview, nil
}

func (a shellArgs) jobName() string {
	if a.Job == 0 {
		return "jobs"
	}
	return fmt.Sprintf("job %d", a.Job)
}

func firstLine(text string) string {
	line, _, more := strings.Cut(strings.TrimSpace(text), "\n")
	if more {
		line += " …"
	}
	return line
}

// check refuses arguments that contradict each other.
func (a shellArgs) check() error {
	if a.TimeoutSeconds < 0 || a.TimeoutSeconds > mostSeconds || a.WaitSeconds < 0 || a.WaitSeconds > mostSeconds {
		return fmt.Errorf("timeout_seconds and wait_seconds must be between 0 and %d", mostSeconds)
	}
	switch a.Action {
	case "":
		if strings.TrimSpace(a.Command) == "" {
			return errors.New("command is empty")
		}
		if strings.ContainsRune(a.Command, 0) {
			return errors.New("command contains a zero byte")
		}
	case actionList, actionTail, actionKill:
		if strings.TrimSpace(a.Command) != "" {
			return fmt.Errorf("action %s takes no command; leave one of them out", a.Action)
		}
		if a.Action != actionList && a.Job == 0 {
			return fmt.Errorf("action %s needs job, the number of the job", a.Action)
		}
	default:
		return fmt.Errorf("unknown action %q (valid: %s, %s, %s)", a.Action, actionList, actionTail, actionKill)
	}
	return nil
}

// commandLine is the command that the arguments describe.
func (a shellArgs) commandLine(env *Env) (commandLine, error) {
	dir := env.Workspace.Root()
	if a.Directory != "" {
		var err error
		if dir, err = env.Workspace.Resolve(a.Directory); err != nil {
			return commandLine{}, err
		}
		if dir, err = realFolder(dir); err != nil {
			return commandLine{}, fmt.Errorf("directory %s: %w", a.Directory, err)
		}
	}
	timeout := a.TimeoutSeconds
	if timeout == 0 && !a.Background {
		timeout = env.Limits.ShellTimeoutSeconds
	}
	return commandLine{
		line: a.Command, dir: dir, timeout: time.Duration(timeout) * time.Second,
		environ: commandEnviron(env.Jobs.environ, env.Jobs.withhold, dir), grace: env.Jobs.grace,
	}, nil
}

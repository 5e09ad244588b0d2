package hookgates

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agent/internal/base/arguments"
	"agent/internal/base/humanize"
	"agent/internal/chat"
	"agent/internal/extend/hook"
	"agent/internal/extend/projectcheck"
	"agent/internal/gate"
	"agent/internal/history"
	"agent/internal/sandbox"
	"agent/internal/settings"
	"agent/internal/shell"
	"agent/internal/tools"
)

// Checks runs the project's checks, such as a linter, before and after the edits of a turn. The model
// receives only the lines that a check prints after the edits and not before.
type Checks struct {
	*Host
	checks *projectcheck.Checks
	rules  *Rules
}

// NewChecks returns the checks of a conversation.
func NewChecks(h *Host, rules *Rules) *Checks {
	g := &Checks{Host: h, rules: rules}
	g.checks = &projectcheck.Checks{
		Setting: func() string { return settings.CheckCommand.Value(h.Settings) },
		Root:    h.Env.Workspace.Root(),
		Served:  h.Served,
		Run:     g.run,
	}
	return g
}

// BeginTurn starts a turn, in which no check has run yet.
func (g *Checks) BeginTurn() { g.checks.BeginTurn() }

// Gates returns the two gates of checks, which apply to edits only. The first gate asks whether the due
// checks may run. The second gate runs them before the edit.
func (g *Checks) Gates() []gate.Gate {
	return []gate.Gate{
		{Name: "approval of checks", Stage: gate.StageConsent, Check: g.may},
		{Name: "checks", Stage: gate.StageConsent, Check: g.runBefore, After: g.noteEdit},
	}
}

// may decides which checks of an edit may run. A command from the setting may run, because the user wrote
// it. A command from files of the repository needs the same approval as any other command. The edit passes
// in both cases.
func (g *Checks) may(ctx context.Context, k gate.Call) gate.Verdict {
	if !k.Traits.EditsOnly() {
		return gate.Verdict{}
	}
	for _, command := range g.checks.Due(k.Preview.Paths) {
		if command.File != "" { // a language server changes no files
			g.checks.Allow(command)
			continue
		}
		run, err := g.call(ctx, command)
		if err == nil {
			if rule := g.rules.ruleAgainst(run); rule != nil {
				err = errors.New(rule.String())
			}
		}
		asks := err == nil && command.Found && g.Consent.WouldAsk(run)
		if asks && g.Consent.Unattended {
			err = fmt.Errorf("it requires approval (approval-mode is %s). Allow it with --approval-mode or --allow '%s(…)'", g.Consent.Mode(), run.Name)
		}
		switch {
		case err != nil:
			g.checks.Disable(command)
			return gate.Verdict{Notice: fmt.Sprintf("Can't run the check %s: %v", command, err)}
		case asks:
			return gate.Verdict{Ask: g.Consent.SideQuestion(run, func(allowed bool) {
				if allowed {
					g.checks.Allow(command)
				} else {
					g.checks.Disable(command)
				}
			})}
		}
		g.checks.Allow(command)
	}
	return gate.Verdict{}
}

// call returns the shell call that would run a check, so that rules and approvals apply to the check.
func (g *Checks) call(ctx context.Context, command projectcheck.Command) (gate.Call, error) {
	tool, err := g.Known.Get(tools.ShellToolName)
	if err != nil {
		return gate.Call{}, err
	}
	encoded, err := json.Marshal(map[string]string{tool.Key: command.Line, "directory": command.Dir})
	if err != nil {
		return gate.Call{}, err
	}
	given := arguments.Parse(encoded)
	plan, err := tool.PlanCall(ctx, g.Env, given)
	plan.Preview.Title = "run the check " + command.String() + " before and after the edits of this turn"
	return gate.Call{Name: tool.Name, Traits: tool.Traits, Said: tool.Describe(tool.Name, given), Arguments: given, Preview: plan.Preview}, err
}

func (g *Checks) runBefore(ctx context.Context, k gate.Call) gate.Verdict {
	if !k.Traits.EditsOnly() {
		return gate.Verdict{}
	}
	return gate.Verdict{Notice: strings.Join(g.checks.RunBefore(ctx), "; ")}
}

func (g *Checks) noteEdit(_ context.Context, k gate.Call, answer tools.Answer, _ time.Duration) (tools.Answer, error) {
	if k.Traits.EditsOnly() && answer.Error == "" {
		g.checks.MarkEdited()
	}
	return answer, nil
}

// maxComparedBytes limits the part of a check's output that is compared, in bytes.
const maxComparedBytes = 512 << 10

// slowCheck is the running time after which the user sees that the turn waits for a check.
const slowCheck = time.Second

// run runs a check in the sandbox, like a command of the model.
func (g *Checks) run(ctx context.Context, command projectcheck.Command) (string, error) {
	defer hook.WarnIfSlow(slowCheck, "the check "+command.String(), g.Loop.ReportWaiting)()
	if command.File != "" {
		ctx, cancel := context.WithTimeout(ctx, projectcheck.Limit)
		defer cancel()
		problems, err := g.Problems(ctx, command.File)
		return strings.Join(problems, "\n"), err
	}
	confined := g.Confinement()
	settle := g.Env.Snapshots.BeginCommand(ctx)
	result, err := g.Env.Jobs.Run(ctx, shell.Command{
		Line: command.Line, Dir: filepath.Join(g.Env.Workspace.Root(), command.Dir), Timeout: projectcheck.Limit, OutputBytes: maxComparedBytes,
		Distrusted: slices.Concat(g.Env.Workspace.Folders(), confined.Policy.Writable()),
		Confined:   confined, Profile: sandbox.ProfileWork,
	}, nil)
	change := settle()
	if err == nil {
		g.ran("check", command.String(), confined.Label(sandbox.ProfileWork), result.ExitInfo)
		g.recordFiles("check", change)
	}
	switch end := result.ExitInfo; {
	case err != nil:
		return "", err
	case end.NotStarted != nil:
		return "", end.NotStarted
	case end.TimedOut:
		return "", fmt.Errorf("it took longer than %s", humanize.Duration(projectcheck.Limit))
	case end.Interrupted:
		return "", errors.New("it was stopped")
	case end.Exit == 126 || end.Exit == shell.ExitNotFound:
		return "", fmt.Errorf("%w (%s)", projectcheck.ErrMissing, humanize.Headline(result.Output))
	}
	return result.Output, nil
}

// RunAtTurnEnd runs the turn's checks when the model ends the turn after edits. If a check prints lines that
// it did not print before the edits, the model receives these lines and continues the turn. This happens at
// most once per turn.
func (g *Checks) RunAtTurnEnd(ctx context.Context) chat.HookResult {
	if g.Consent.Mode().IsReadOnly() {
		return chat.HookResult{}
	}
	findings, problems := g.checks.RunAfter(ctx)
	result := chat.HookResult{Notices: problems}
	for _, f := range findings {
		says := humanize.Count(f.All, "new line")
		result.Notices = append(result.Notices, fmt.Sprintf("The check %s has %s:", f.Command, says))
		result.Notices = append(result.Notices, f.Lines...)
		result.By, result.Refused = "the check "+f.Command.String(), says
		text := strings.Join(f.Lines, "\n")
		if more := f.All - len(f.Lines); more > 0 {
			text += fmt.Sprintf("\n[%s more]", humanize.Count(more, "line"))
		}
		result.Blocks = append(result.Blocks, history.NewData(history.SourceCommand, fmt.Sprintf(
			"The edits were made. The project's check %s now prints these lines, which it did not print before the edits; fix what your edits broke, or say why it is right:", f.Command), text))
	}
	return result
}

package gates

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agent/internal/chat"
	"agent/internal/check"
	"agent/internal/gate"
	"agent/internal/history"
	"agent/internal/hook"
	"agent/internal/sandbox"
	"agent/internal/settings"
	"agent/internal/shell"
	"agent/internal/tools"
	"agent/internal/words"
)

// Checks are those of the project, around the edits of a turn.
type Checks struct {
	*Host
	checks *check.Checks
	rules  *Rules
}

// NewChecks makes the checks of a conversation.
func NewChecks(h *Host, rules *Rules) *Checks {
	g := &Checks{Host: h, rules: rules}
	g.checks = &check.Checks{
		Setting: func() string { return settings.CheckCommand.Of(h.Settings) },
		Root:    h.Env.Workspace.Root(),
		Run:     g.run,
	}
	return g
}

// Begin notes that a turn begins.
func (g *Checks) Begin() { g.checks.Begin() }

// Gates ask about the checks of an edit that may run, and run them before it.
func (g *Checks) Gates() []gate.Gate {
	return []gate.Gate{
		{Name: "consent to checks", Stage: gate.Consents, Check: g.may},
		{Name: "checks", Stage: gate.Consents, Check: g.before, After: g.edited},
	}
}

// may decides whether the checks of an edit may run. The person wrote the command of
// the setting; one that was found by the files of the repository needs the approval that any
// command does. The edit passes whatever the answer is.
func (g *Checks) may(ctx context.Context, k gate.Call) gate.Verdict {
	if !k.Traits.EditsOnly() {
		return gate.Verdict{}
	}
	for _, command := range g.checks.Due(k.Preview.Paths) {
		run, err := g.call(ctx, command)
		if err == nil {
			if rule := g.rules.against(run); rule != nil {
				err = errors.New(rule.String())
			}
		}
		asks := err == nil && command.Found && g.Chat().Consent().Asks(run)
		if asks && g.Unattended {
			err = fmt.Errorf("approval-mode is %s; allow it with --approval-mode or --allow '%s(…)'", g.Chat().Mode(), run.Name)
		}
		switch {
		case err != nil:
			g.checks.Drop(command)
			return gate.Verdict{Notice: fmt.Sprintf("the check %s is not run: %v", command, err)}
		case asks:
			return gate.Verdict{Ask: g.Chat().Consent().Aside(run, func(allowed bool) {
				if allowed {
					g.checks.Allow(command)
				} else {
					g.checks.Drop(command)
				}
			})}
		}
		g.checks.Allow(command)
	}
	return gate.Verdict{}
}

// call is a check as the call of a command that it would be.
func (g *Checks) call(ctx context.Context, command check.Command) (gate.Call, error) {
	tool, err := g.Registry.Get(tools.ShellToolName)
	if err != nil {
		return gate.Call{}, err
	}
	arguments, err := json.Marshal(map[string]string{tool.Key: command.Line, "directory": command.Dir})
	if err != nil {
		return gate.Call{}, err
	}
	plan, err := tool.Work(ctx, g.Env, arguments)
	plan.Preview.Title = "check with " + command.String() + ", before the edits of this turn and after them"
	return gate.Call{Name: tool.Name, Traits: tool.Traits, Said: tool.Describe(tool.Name, arguments), Arguments: arguments, Preview: plan.Preview}, err
}

// before runs the checks that are due before an edit.
func (g *Checks) before(ctx context.Context, k gate.Call) gate.Verdict {
	if !k.Traits.EditsOnly() {
		return gate.Verdict{}
	}
	return gate.Verdict{Notice: strings.Join(g.checks.Before(ctx), "; ")}
}

// edited notes an edit that was made.
func (g *Checks) edited(_ context.Context, k gate.Call, answer tools.Answer, _ time.Duration) (tools.Answer, error) {
	if k.Traits.EditsOnly() && answer.Error == "" {
		g.checks.Edited()
	}
	return answer, nil
}

// mostChecked is how much of what a check prints is compared, in bytes.
const mostChecked = 512 << 10

// slowCheck is after how long a person reads that a check is waited for.
const slowCheck = time.Second

// run runs a check in the sandbox, as commands of the model run.
func (g *Checks) run(ctx context.Context, command check.Command) (string, error) {
	defer hook.Watch(slowCheck, "the check "+command.String(), g.Chat().WaitsFor)()
	confined := g.Confinement()
	settle := g.Env.Snapshots.Command(ctx)
	result, err := g.Env.Jobs.Run(ctx, shell.Command{
		Line: command.Line, Dir: filepath.Join(g.Env.Workspace.Root(), command.Dir), Timeout: check.Limit, OutputBytes: mostChecked,
		Distrusted: slices.Concat(g.Env.Workspace.Folders(), confined.Policy.Writable()),
		Confined:   confined, Profile: sandbox.Work,
	}, nil)
	settle()
	switch end := result.Ending; {
	case err != nil:
		return "", err
	case end.NotStarted != nil:
		return "", end.NotStarted
	case end.TimedOut:
		return "", fmt.Errorf("it took longer than %s", words.Took(check.Limit))
	case end.Interrupted:
		return "", errors.New("it was ended")
	case end.Exit == 126 || end.Exit == shell.NotFound:
		return "", fmt.Errorf("%w (%s)", check.ErrMissing, words.Headline(result.Output))
	}
	return result.Output, nil
}

// Finish runs the checks of a turn when the model ends it, and makes the model continue once
// with what is new.
func (g *Checks) Finish(ctx context.Context) chat.Heard {
	if g.Chat().Mode().OnlyLooks() {
		return chat.Heard{}
	}
	findings, problems := g.checks.After(ctx)
	heard := chat.Heard{Notices: problems}
	for _, f := range findings {
		says := words.Count(f.All, "new line")
		heard.Notices = append(heard.Notices, fmt.Sprintf("the check %s has %s:", f.Command, says))
		heard.Notices = append(heard.Notices, f.Lines...)
		heard.By, heard.Refused = "the check "+f.Command.String(), says
		text := strings.Join(f.Lines, "\n")
		if more := f.All - len(f.Lines); more > 0 {
			text += fmt.Sprintf("\n[%s more]", words.Count(more, "line"))
		}
		heard.Blocks = append(heard.Blocks, history.NewData(history.Printed, fmt.Sprintf(
			"The edits were made. The project's check %s now prints these lines, which it did not print before them; fix what your edits broke, or say why it is right:", f.Command), text))
	}
	return heard
}

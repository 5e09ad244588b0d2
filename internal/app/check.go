package app

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
	"agent/internal/sandbox"
	"agent/internal/settings"
	"agent/internal/shell"
	"agent/internal/tools"
	"agent/internal/words"
)

// newChecks makes the checks of the conversation.
func (c *Conversation) newChecks() *check.Checks {
	return &check.Checks{
		Setting: func() string { return settings.CheckCommand.Of(c.settings) },
		Root:    c.workspace.Root(),
		Run:     c.runCheck,
	}
}

// checkGates ask about the checks of an edit that may run, and run them before it.
func (c *Conversation) checkGates() []gate.Gate {
	return []gate.Gate{
		{Name: "consent to checks", Stage: gate.Consents, Check: c.mayCheck},
		{Name: "checks", Stage: gate.Consents, Check: c.checkBefore, After: c.checkEdited},
	}
}

// mayCheck decides whether the checks of an edit may run. The person wrote the command of
// the setting; one that was found by the files of the repository needs the approval that any
// command does. The edit passes whatever the answer is.
func (c *Conversation) mayCheck(ctx context.Context, k gate.Call) gate.Verdict {
	if !k.Traits.EditsOnly() {
		return gate.Verdict{}
	}
	for _, command := range c.checks.Due(k.Preview.Paths) {
		run, err := c.checkCall(ctx, command)
		if err == nil {
			if rule := c.against(run); rule != nil {
				err = errors.New(rule.String())
			}
		}
		asks := err == nil && command.Found && c.Consent().Asks(run)
		if asks && c.options.Unattended {
			err = fmt.Errorf("approval-mode is %s; allow it with --approval-mode or --allow '%s(…)'", c.Mode(), run.Name)
		}
		switch {
		case err != nil:
			c.checks.Drop(command)
			return gate.Verdict{Notice: fmt.Sprintf("the check %s is not run: %v", command, err)}
		case asks:
			return gate.Verdict{Ask: c.Consent().Aside(run, func(allowed bool) {
				if allowed {
					c.checks.Allow(command)
				} else {
					c.checks.Drop(command)
				}
			})}
		}
		c.checks.Allow(command)
	}
	return gate.Verdict{}
}

// checkCall is a check as the call of a command that it would be.
func (c *Conversation) checkCall(ctx context.Context, command check.Command) (gate.Call, error) {
	tool, err := c.registry.Get(tools.ShellToolName)
	if err != nil {
		return gate.Call{}, err
	}
	arguments, err := json.Marshal(map[string]string{tool.Key: command.Line, "directory": command.Dir})
	if err != nil {
		return gate.Call{}, err
	}
	plan, err := tool.Work(ctx, c.env, arguments)
	plan.Preview.Title = "check with " + command.String() + ", before the edits of this turn and after them"
	return gate.Call{Name: tool.Name, Traits: tool.Traits, Said: tool.Describe(tool.Name, arguments), Arguments: arguments, Preview: plan.Preview}, err
}

// checkBefore runs the checks that are due before an edit.
func (c *Conversation) checkBefore(ctx context.Context, k gate.Call) gate.Verdict {
	if !k.Traits.EditsOnly() {
		return gate.Verdict{}
	}
	return gate.Verdict{Notice: strings.Join(c.checks.Before(ctx), "; ")}
}

// checkEdited notes an edit that was made.
func (c *Conversation) checkEdited(_ context.Context, k gate.Call, answer tools.Answer, _ time.Duration) (tools.Answer, error) {
	if k.Traits.EditsOnly() && answer.Error == "" {
		c.checks.Edited()
	}
	return answer, nil
}

// mostChecked is how much of what a check prints is compared, in bytes.
const mostChecked = 512 << 10

// slowCheck is after how long a person reads that a check is waited for.
const slowCheck = time.Second

// runCheck runs a check in the sandbox, as commands of the model run.
func (c *Conversation) runCheck(ctx context.Context, command check.Command) (string, error) {
	slow := time.AfterFunc(slowCheck, func() { c.WaitsFor("the check " + command.String()) })
	defer func() {
		if !slow.Stop() {
			c.WaitsFor("")
		}
	}()
	confined := c.confinement()
	settle := c.env.Snapshots.Command(ctx)
	result, err := c.env.Jobs.Run(ctx, shell.Command{
		Line: command.Line, Dir: filepath.Join(c.workspace.Root(), command.Dir), Timeout: check.Limit, OutputBytes: mostChecked,
		Distrusted: slices.Concat(c.workspace.Folders(), confined.Policy.Writable()),
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
	case end.Exit == 126 || end.Exit == 127:
		return "", fmt.Errorf("%w (%s)", check.ErrMissing, words.Headline(result.Output))
	}
	return result.Output, nil
}

// checkAfter runs the checks of a turn when the model leaves editing, and has it go on once
// with what is new.
func (c *Conversation) checkAfter(ctx context.Context) chat.Heard {
	if c.Mode().OnlyLooks() {
		return chat.Heard{}
	}
	findings, problems := c.checks.After(ctx)
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

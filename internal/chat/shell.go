package chat

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"agent/internal/base/arguments"
	"agent/internal/base/humanize"
	"agent/internal/gate"
	"agent/internal/history"
	"agent/internal/tools"
	"agent/internal/toolspec"
)

// Shell runs a command that the user typed after "!". The model reads the output with the next
// message, unless the command is private. A command typed during a turn runs after the turn.
func (c *Chat) Shell(command string, private bool) {
	c.inbox.post(func() {
		if c.waiting.working {
			c.emit.notice("!%s runs after the turn", humanize.Headline(command))
		}
		c.tasks = append(c.tasks, func(ctx context.Context) (Outcome, error) { return c.shell(ctx, command, private) })
	})
}

func (c *Chat) shell(ctx context.Context, command string, private bool) (Outcome, error) {
	// The user's own commands are not confined.
	k, err := c.runner.command(command, map[string]string{"outside": "the user typed it"})
	if err != nil {
		return Outcome{Stop: StopFailed}, err
	}
	k.typed, k.Said = true, describeTyped(command, private)
	c.config.Env.Snapshots.BeginTurn("!" + command)
	c.runner.plan(ctx, k)
	c.runner.finish(ctx, k)
	if k.refused != "" {
		return Outcome{Stop: StopInterrupted}, nil
	}
	ran := history.Effect{Ran: command, Profile: c.runner.profile(k), Exit: k.answer.ExitCode, Asked: &history.Decision{By: "person", Answer: "typed"}}
	ran.Wrote, ran.Unlisted = c.runner.env.FileChanges(k.answer.Change)
	if private {
		err = recordAct(c.config.Session, "!!", ran)
	} else {
		err = c.add(history.New(history.Human, shellReport(command, k.answer)).WithMeta(history.MetaEffect, ran))
	}
	c.emit(ToolEnded{Call: k.Number, Name: k.Name, Label: k.Said, Answer: k.answer, Duration: c.config.Now().Sub(k.started), Typed: true})
	if ctx.Err() != nil {
		return Outcome{Stop: StopInterrupted}, err
	}
	return Outcome{Stop: StopDone}, err
}

// describeTyped returns the label of a command that the user typed after ! or !!.
func describeTyped(command string, private bool) toolspec.Label {
	sign := "!"
	if private {
		sign = "!!" // the model does not see the command
	}
	return toolspec.Label{Name: sign, Verbs: toolspec.Verbs{Now: sign, Done: sign, Do: sign}, Subject: humanize.Headline(command)}
}

// shellReport describes for the model a command that the user ran. The output is marked as data (D-46).
func shellReport(command string, a tools.Answer) history.Block {
	var output strings.Builder
	for _, part := range []string{a.ModelText(), a.Error} {
		if part != "" {
			output.WriteString(strings.TrimRight(part, "\n") + "\n")
		}
	}
	return history.NewData(history.SourceCommand, "I ran this command myself:", "$ "+command+"\n"+output.String())
}

// announceJobs reports the background commands that have ended by themselves.
func (c *Chat) announceJobs() {
	if c.config.Env.Jobs == nil {
		return
	}
	for _, job := range c.config.Env.Jobs.TakeFinished() {
		c.emit.notice("background job %d ended (%s): %s", job.ID, job.Outcome, humanize.Headline(job.Command))
	}
}

// errNotAllowed ends a turn whose message contains a command that was not approved.
var errNotAllowed = errors.New("a command in the message was not approved")

func (c *Chat) embedded(ctx context.Context, line, outside string) (output, refused string, err error) {
	more := map[string]string{}
	if outside != "" {
		more["outside"] = outside
	}
	k, err := c.runner.command(line, more)
	if err != nil {
		return "", "", err
	}
	if c.runner.plan(ctx, k); k.refused == "" {
		c.runner.admit(ctx, k, nil)
	}
	switch {
	case ctx.Err() != nil:
		return "", "", ctx.Err()
	case k.refused != "" && c.config.Policy.Unattended && c.modes.consent.DenialError() != nil:
		return "", "", errNotAllowed
	case k.refused != "":
		return "", k.refused, nil
	}
	c.runner.finish(ctx, k)
	did := c.runner.deed(k)
	did.Exit = k.answer.ExitCode
	if err := recordAct(c.config.Session, "a message", did); err != nil {
		return "", "", err
	}
	c.emit(ToolEnded{Call: k.Number, Name: k.Name, Label: k.Said, Traits: k.tool.Traits, Answer: k.answer, Duration: c.config.Now().Sub(k.started)})
	if ctx.Err() != nil {
		return "", "", ctx.Err()
	}
	output = k.answer.Text
	if k.answer.Error != "" {
		output += "\n[" + k.answer.Error + "]"
	}
	return output, "", nil
}

// command returns a call of the shell tool that does not come from the model. It adds the command to
// the other arguments.
func (r *runner) command(line string, more map[string]string) (*call, error) {
	tool, err := r.tools.Get(tools.ShellToolName)
	if err != nil {
		return nil, err
	}
	more[tool.Key] = line
	encoded, err := json.Marshal(more)
	given := arguments.Parse(encoded)
	return &call{tool: tool, Call: gate.Call{Number: r.next(), Name: tool.Name, Traits: tool.Traits, Said: tool.Describe(tool.Name, given), Arguments: given}}, err
}

// finish runs a planned call and emits its end.
func (r *runner) finish(ctx context.Context, k *call) {
	await(r.inbox, r.start(ctx, []*call{k}))
	r.inbox.serve() // its output must be delivered before its end
}

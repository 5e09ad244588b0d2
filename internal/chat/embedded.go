package chat

import (
	"context"
	"encoding/json"
	"errors"

	"agent/internal/base/arguments"
	"agent/internal/gate"
	"agent/internal/tools"
)

// RunEmbedded runs a command in the text of a message. Like a call of the model, the command is parsed,
// approved and confined. refused is the reason why it was not run, or "" if it was. An error means that
// the message cannot be sent: ctx ended, or no user is present to approve the command. outside is the
// reason to run it outside of the sandbox, or "".
type RunEmbedded func(ctx context.Context, line, outside string) (output, refused string, err error)

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

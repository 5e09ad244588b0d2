package chat

import (
	"context"
	"encoding/json"
	"errors"

	"agent/internal/tools"
)

// Embedded runs a command that the text of a message holds, as a call of the model would
// be run: it is parsed, approved and confined. Refused is why it was not run, empty if it
// was. The error ends the message: ctx ended, or nobody is there to allow the command.
type Embedded func(ctx context.Context, line string) (output, refused string, err error)

// errNotAllowed ends a turn whose message holds a command that nobody allowed.
var errNotAllowed = errors.New("a command in the message was not allowed")

func (c *Chat) embedded(ctx context.Context, line string) (output, refused string, err error) {
	tool, err := c.Tools.Get(tools.ShellToolName)
	if err != nil {
		return "", "", err
	}
	args, err := json.Marshal(map[string]string{tool.Key: line})
	if err != nil {
		return "", "", err
	}
	k := &call{number: c.runner.next(), name: tool.Name, said: tool.Describe(tool.Name, args), parameters: args, tool: tool}
	if c.runner.plan(ctx, k); k.refused == "" {
		c.runner.admit(ctx, k, nil)
	}
	switch {
	case ctx.Err() != nil:
		return "", "", ctx.Err()
	case k.refused != "" && c.Unattended && c.consent.Denied() != nil:
		return "", "", errNotAllowed
	case k.refused != "":
		return "", k.refused, nil
	}
	await(c.inbox, c.runner.start(ctx, []*call{k}))
	c.inbox.serve() // what it printed comes before its end
	c.Emit(ToolEnded{Call: k.number, Name: k.name, Said: k.said, Traits: tool.Traits, Answer: k.answer, Duration: c.Now().Sub(k.started)})
	if ctx.Err() != nil {
		return "", "", ctx.Err()
	}
	output = k.answer.Text
	if k.answer.Error != "" {
		output += "\n[" + k.answer.Error + "]"
	}
	return output, "", nil
}

package app

import (
	"context"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"

	"agent/internal/atcmd"
	"agent/internal/command"
	"agent/internal/history"
	"agent/internal/setup/fill"
	"agent/internal/tools"
	"agent/internal/words"
)

// promptPrefix begins the names by which prompts of servers are called.
const promptPrefix = "mcp:"

// callablePrompts are the prompts of servers, as far as they are known.
func (c *Conversation) callablePrompts() []command.Callable {
	s := c.serving.Load()
	if s == nil {
		return nil
	}
	prompts := s.Prompts()
	var all []command.Callable
	for _, name := range slices.Sorted(maps.Keys(prompts)) {
		p := prompts[name]
		var hints []string
		for _, a := range p.Arguments {
			hint := a.Name
			if !a.Required {
				hint = "[" + hint + "]"
			}
			hints = append(hints, hint)
		}
		server, _, _ := strings.Cut(name, ":")
		all = append(all, command.Callable{Name: promptPrefix + name, Help: words.Line(p.Description, maxHelp), Hint: strings.Join(hints, " "), Origin: server})
	}
	return all
}

// prompt is what a line calls of a server, /mcp:SERVER:NAME ARGUMENTS, as blocks; is
// reports whether it does. What a person types needs no question.
func (c *Conversation) prompt(ctx context.Context, line string) (blocks []history.Block, is bool, err error) {
	line, is = strings.CutPrefix(strings.TrimSpace(line), "/"+promptPrefix)
	s := c.serving.Load()
	if !is || s == nil {
		return nil, false, nil
	}
	called, rest, _ := strings.Cut(line, " ")
	server, name, _ := strings.Cut(called, ":")
	answer, err := s.Prompt(ctx, c.callEnv(), server, name, fill.Words(rest))
	if err != nil {
		return nil, true, err
	}
	return serverBlocks(fmt.Sprintf("prompt server=%q name=%q", server, name), "", answer), true, nil
}

// callEnv is what reading of servers works on, outside of a call.
func (c *Conversation) callEnv() *tools.Env {
	env := *c.env
	env.Limits.OutputTokens = 0 // the bound of servers' results counts
	return &env
}

// isResource reports whether a mention is of a resource of a server: SERVER:URI.
func (c *Conversation) isResource(mention string) bool {
	s := c.serving.Load()
	server, uri, found := strings.Cut(mention, ":")
	return found && uri != "" && s != nil && s.configured.Named(server) != nil
}

// readResources reads the resources that a message mentions. One that cannot be read is
// left out, and said.
func (c *Conversation) readResources(ctx context.Context, said *atcmd.Expansion) ([]history.Block, error) {
	var blocks []history.Block
	s := c.serving.Load()
	for _, mention := range said.Elsewhere {
		server, uri, _ := strings.Cut(mention, ":")
		answer, err := s.Resource(ctx, c.callEnv(), server, uri)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			said.Skipped = append(said.Skipped, atcmd.Skipped{Path: "@" + mention, Reason: words.Line(err.Error(), maxReason)})
			continue
		}
		blocks = append(blocks, serverBlocks(fmt.Sprintf("resource server=%q uri=%q", server, uri), "mcp:"+server+"@"+uri, answer)...)
		said.Included = append(said.Included, atcmd.Included{Path: mention, Lines: words.Lines(answer.Text), Bytes: len(answer.Text)})
	}
	return blocks, nil
}

// maxReason bounds why something was not read, in characters.
const maxReason = 300

// serverBlocks are what a server gave as blocks of a message, between marks that nothing in
// it can close.
func serverBlocks(mark, key string, answer tools.Answer) []history.Block {
	name, _, _ := strings.Cut(mark, " ")
	text := strings.ReplaceAll(answer.Text, "</"+name, `<\/`+name)
	blocks := []history.Block{&history.Text{Text: fmt.Sprintf("<%s>\n%s\n</%s>", mark, text, name), Source: history.Brought, Key: key}}
	for _, i := range answer.Images {
		blocks = append(blocks, &history.Media{MimeType: i.MimeType, Data: base64.StdEncoding.EncodeToString(i.Data), Width: i.Width, Height: i.Height})
	}
	return blocks
}

// Resources lists what servers let read, as it is mentioned.
func (c *Conversation) Resources() []string {
	if s := c.serving.Load(); s != nil {
		return s.Resources()
	}
	return nil
}

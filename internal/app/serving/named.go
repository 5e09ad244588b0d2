package serving

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

// Prompts are the prompts of servers, as far as they are known.
func (s *Servers) Prompts() (all []command.Callable) {
	prompts := of(s, (*generation).Prompts)
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
		all = append(all, command.Callable{Name: promptPrefix + name, Help: words.Line(p.Description, command.MaxHelp), Hint: strings.Join(hints, " "), Origin: server})
	}
	return all
}

// Prompt is what a line calls of a server, /mcp:SERVER:NAME ARGUMENTS, as blocks; is
// reports whether it does. What a person types needs no question.
func (s *Servers) Prompt(ctx context.Context, line string) (blocks []history.Block, is bool, err error) {
	line, is = strings.CutPrefix(strings.TrimSpace(line), "/"+promptPrefix)
	g := s.current.Load()
	if !is || g == nil {
		return nil, false, nil
	}
	called, rest, _ := strings.Cut(line, " ")
	server, name, _ := strings.Cut(called, ":")
	answer, err := g.Prompt(ctx, s.callEnv(), server, name, fill.Words(rest))
	if err != nil {
		return nil, true, err
	}
	return blocksOf(fmt.Sprintf("prompt server=%q name=%q", server, name), "", answer), true, nil
}

// callEnv is what reading of servers works on, outside of a call.
func (s *Servers) callEnv() *tools.Env {
	env := *s.Env
	env.Limits.OutputTokens = 0 // the bound of servers' results counts
	return &env
}

// IsResource reports whether a mention is of a resource of a server: SERVER:URI.
func (s *Servers) IsResource(mention string) bool {
	g := s.current.Load()
	server, uri, found := strings.Cut(mention, ":")
	return found && uri != "" && g != nil && g.configured.Named(server) != nil
}

// ReadResources reads the resources that a message mentions. One that cannot be read is
// left out, and said.
func (s *Servers) ReadResources(ctx context.Context, said *atcmd.Expansion) ([]history.Block, error) {
	var blocks []history.Block
	g := s.current.Load()
	for _, mention := range said.Elsewhere {
		server, uri, _ := strings.Cut(mention, ":")
		answer, err := g.Resource(ctx, s.callEnv(), server, uri)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			said.Skipped = append(said.Skipped, atcmd.Skipped{Path: "@" + mention, Reason: words.Line(err.Error(), maxReason)})
			continue
		}
		blocks = append(blocks, blocksOf(fmt.Sprintf("resource server=%q uri=%q", server, uri), "mcp:"+server+"@"+uri, answer)...)
		said.Included = append(said.Included, atcmd.Included{Path: mention, Lines: words.Lines(answer.Text), Bytes: len(answer.Text)})
	}
	return blocks, nil
}

// maxReason bounds why something was not read, in characters.
const maxReason = 300

// blocksOf are what a server gave as blocks of a message, between marks that nothing in
// it can close.
func blocksOf(mark, key string, answer tools.Answer) []history.Block {
	name, _, _ := strings.Cut(mark, " ")
	text := strings.ReplaceAll(answer.Text, "</"+name, `<\/`+name)
	blocks := []history.Block{&history.Text{Text: fmt.Sprintf("<%s>\n%s\n</%s>", mark, text, name), Source: history.Brought, Key: key}}
	for _, i := range answer.Images {
		blocks = append(blocks, &history.Media{MimeType: i.MimeType, Data: base64.StdEncoding.EncodeToString(i.Data), Width: i.Width, Height: i.Height})
	}
	return blocks
}

// Resources lists what servers let read, as it is mentioned.
func (s *Servers) Resources() []string { return of(s, (*generation).Resources) }

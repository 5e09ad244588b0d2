package mcphost

import (
	"context"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"

	"agent/internal/atcmd"
	"agent/internal/base/humanize"
	"agent/internal/command"
	"agent/internal/extend/mcp"
	"agent/internal/extend/setup/template"
	"agent/internal/history"
	"agent/internal/tools"
)

// promptPrefix begins the names of servers' prompts as slash commands.
const promptPrefix = "mcp:"

// Prompts returns the known prompts of servers as commands.
func (s *Servers) Prompts() (all []command.Callable) {
	prompts := fromCurrent(s, func(g *generation) map[string]mcp.Prompt { return g.bridge.Prompts() })
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
		all = append(all, command.Callable{Name: promptPrefix + name, Help: humanize.Line(p.Description, command.MaxHelp), Hint: strings.Join(hints, " "), Origin: server})
	}
	return all
}

// Prompt returns the blocks of a server's prompt if the line calls one, such as /mcp:SERVER:NAME ARGUMENTS.
// is reports whether the line does. No approval is needed, because the user typed the line.
func (s *Servers) Prompt(ctx context.Context, line string) (blocks []history.Block, is bool, err error) {
	line, is = strings.CutPrefix(strings.TrimSpace(line), "/"+promptPrefix)
	g := s.current.Load()
	if !is || g == nil {
		return nil, false, nil
	}
	called, rest, _ := strings.Cut(line, " ")
	server, name, _ := strings.Cut(called, ":")
	if err := s.may(server); err != nil {
		return nil, true, err
	}
	answer, err := g.bridge.Prompt(ctx, s.callEnv(), server, name, template.SplitWords(rest))
	if err != nil {
		return nil, true, err
	}
	return blocksOf(fmt.Sprintf("prompt server=%q name=%q", server, name), "", answer), true, nil
}

// may returns an error if a rule or the policy forbids the prompts and resources of a server.
func (s *Servers) may(server string) error { return s.May(tools.ServerCall{Server: server, Tool: "*"}) }

// callEnv returns an environment for reading from servers outside of a tool call.
func (s *Servers) callEnv() *tools.Env {
	env := *s.Env
	env.Limits.OutputTokens = 0 // results of servers have a separate limit
	return &env
}

// IsResource reports whether a mention has the form SERVER:URI of a resource of a server.
func (s *Servers) IsResource(mention string) bool {
	g := s.current.Load()
	server, uri, found := strings.Cut(mention, ":")
	return found && uri != "" && g != nil && g.configured.ByName(server) != nil
}

// ReadResources reads the resources that a message mentions. It omits a resource that cannot
// be read, and adds the reason to the message's skipped paths.
func (s *Servers) ReadResources(ctx context.Context, message *atcmd.Expansion) ([]history.Block, error) {
	var blocks []history.Block
	g := s.current.Load()
	for _, mention := range message.Elsewhere {
		server, uri, _ := strings.Cut(mention, ":")
		var answer tools.Answer
		err := s.may(server)
		if err == nil {
			answer, err = g.bridge.Resource(ctx, s.callEnv(), server, uri)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			message.Skipped = append(message.Skipped, atcmd.SkippedPath{Path: "@" + mention, Reason: humanize.Line(err.Error(), maxReason)})
			continue
		}
		blocks = append(blocks, blocksOf(fmt.Sprintf("resource server=%q uri=%q", server, uri), "mcp:"+server+"@"+uri, answer)...)
		message.Included = append(message.Included, atcmd.IncludedFile{Path: mention, Lines: humanize.LineCount(answer.Text), Bytes: len(answer.Text)})
	}
	return blocks, nil
}

// maxReason limits the reason why a resource was not read, in characters.
const maxReason = 300

// blocksOf returns a server's answer as blocks of a message. Marks enclose the answer, and its text cannot
// contain the closing mark.
func blocksOf(mark, key string, answer tools.Answer) []history.Block {
	name, _, _ := strings.Cut(mark, " ")
	text := strings.ReplaceAll(answer.Text, "</"+name, `<\/`+name)
	blocks := []history.Block{&history.Text{Text: fmt.Sprintf("<%s>\n%s\n</%s>", mark, text, name), Source: history.SourceExtension, Key: key}}
	for _, i := range answer.Images {
		blocks = append(blocks, &history.Media{MimeType: i.MimeType, Data: base64.StdEncoding.EncodeToString(i.Data), Width: i.Width, Height: i.Height})
	}
	return blocks
}

// Resources returns the resources of servers in the form of mentions.
func (s *Servers) Resources() []string {
	return fromCurrent(s, func(g *generation) []string { return g.bridge.Resources() })
}

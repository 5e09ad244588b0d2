package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"agent/internal/base/arguments"
	"agent/internal/base/humanize"
	"agent/internal/extend/mcp"
	"agent/internal/tools"
)

type readArgs struct {
	Server string `json:"server"`
	URI    string `json:"uri"`
}

// everything is the name that rules use for prompts and resources.
const everything = "*"

// planRead plans to read a resource or to list the resources.
func (b *Bridge) planRead(ctx context.Context, env *tools.Env, given arguments.Arguments) (tools.Plan, error) {
	var args readArgs
	if err := json.Unmarshal(given.Raw(), &args); err != nil {
		return tools.Plan{}, errors.New("mcp_read takes the strings server and uri")
	}
	st, _, err := b.usable(ctx, args.Server)
	if err != nil {
		return tools.Plan{}, err
	}
	if args.URI == "" {
		return tools.Plan{Preview: tools.Preview{ReadOnly: true}, Apply: func(context.Context) tools.Answer { return b.resources(st) }}, nil
	}
	shown, err := json.Marshal(map[string]string{"uri": args.URI})
	if err != nil {
		return tools.Plan{}, err
	}
	return tools.Plan{
		Preview: tools.Preview{
			Title:     fmt.Sprintf("%s (%s): read a resource", st.Configured.Name, st.Source()),
			Arguments: shown,
			Served:    &tools.ServerCall{Server: st.Configured.Name, Tool: everything},
		},
		Apply: func(ctx context.Context) tools.Answer {
			answer, err := b.Resource(ctx, env, st.Configured.Name, args.URI)
			if err != nil {
				return tools.Answer{Error: humanize.Line(err.Error(), maxFailure)}
			}
			if len(answer.Images) == 0 {
				answer.Key = "mcp:" + st.Configured.Name + "@" + args.URI
			}
			return answer
		},
	}, nil
}

// resources lists the resources of a server from its latest listing.
func (b *Bridge) resources(st *state) tools.Answer {
	b.mu.Lock()
	defer b.mu.Unlock()
	var lines []string
	for _, r := range st.known.Resources {
		line := r.URI
		for _, more := range []string{r.Name, r.MIME, r.Description} {
			if more != "" && more != r.URI {
				line += " · " + humanize.Line(more, 100)
			}
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		return tools.Answer{Text: st.Configured.Name + " lists no resources", Summary: "no resources"}
	}
	return tools.Answer{Text: strings.Join(lines, "\n"), Summary: humanize.Count(len(lines), "resource")}
}

// Resource reads a resource that the user named. The result is limited like that of a call.
func (b *Bridge) Resource(ctx context.Context, env *tools.Env, server, uri string) (tools.Answer, error) {
	st, _, err := b.usable(ctx, server)
	if err != nil {
		return tools.Answer{}, err
	}
	connection, err := b.connect(ctx, st)
	if err != nil {
		return tools.Answer{}, err
	}
	result, err := connection.Read(ctx, uri)
	if err != nil {
		return tools.Answer{}, err
	}
	return b.answer(env, result, fileName(server, "resource")), nil
}

// Prompt returns the text of a prompt that the user called. Arguments are NAME=VALUE, or values in
// the order of the prompt's arguments. The last argument receives all further values.
func (b *Bridge) Prompt(ctx context.Context, env *tools.Env, server, name string, arguments []string) (tools.Answer, error) {
	st, known, err := b.usable(ctx, server)
	if err != nil {
		return tools.Answer{}, err
	}
	var prompt *mcp.Prompt
	var names []string
	for i, p := range known.Prompts {
		if names = append(names, p.Name); p.Name == name {
			prompt = &known.Prompts[i]
		}
	}
	if prompt == nil {
		return tools.Answer{}, fmt.Errorf("%s has no prompt %q; it has: %s", server, name, someOf(names))
	}
	given, err := argumentsOf(*prompt, arguments)
	if err != nil {
		return tools.Answer{}, err
	}
	connection, err := b.connect(ctx, st)
	if err != nil {
		return tools.Answer{}, err
	}
	result, err := connection.Prompt(ctx, name, given)
	if err != nil {
		return tools.Answer{}, err
	}
	several := len(result.Blocks) > 1
	for i, block := range result.Blocks {
		if several && block.Role != "" && block.Kind == mcp.Text {
			result.Blocks[i].Text = block.Role + ": " + block.Text
		}
	}
	return b.answer(env, result, fileName(server, "prompt")), nil
}

// argumentsOf returns the arguments of a prompt by name. The error names missing arguments.
func argumentsOf(p mcp.Prompt, given []string) (map[string]string, error) {
	byName := map[string]string{}
	next := 0
	for _, value := range given {
		name, rest, named := strings.Cut(value, "=")
		if named && slices.ContainsFunc(p.Arguments, func(a *mcp.Argument) bool { return a.Name == name }) {
			byName[name] = rest
			continue
		}
		for next < len(p.Arguments) && byName[p.Arguments[next].Name] != "" {
			next++
		}
		switch {
		case len(p.Arguments) == 0:
			return nil, fmt.Errorf("the prompt %s takes no arguments", p.Name)
		case next == len(p.Arguments):
			last := p.Arguments[len(p.Arguments)-1].Name
			byName[last] += " " + value
		default:
			byName[p.Arguments[next].Name] = value
		}
	}
	var missing []string
	for _, a := range p.Arguments {
		if a.Required && byName[a.Name] == "" {
			missing = append(missing, a.Name)
		}
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("the prompt %s needs %s: add NAME=VALUE", p.Name, strings.Join(missing, ", "))
	}
	return byName, nil
}

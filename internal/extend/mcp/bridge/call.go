package bridge

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"agent/internal/base/arguments"
	"agent/internal/base/humanize"
	"agent/internal/base/rawjson"
	"agent/internal/base/suggest"
	"agent/internal/extend/mcp"
	"agent/internal/extend/mcp/catalogue"
	"agent/internal/text/textdiff"
	"agent/internal/tools"

	"github.com/bmatcuk/doublestar/v4"
)

type callArgs struct {
	Server    string          `json:"server"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
}

func (b *Bridge) planCall(ctx context.Context, env *tools.Env, given arguments.Arguments) (tools.Plan, error) {
	var args callArgs
	if err := json.Unmarshal(given.Raw(), &args); err != nil {
		return tools.Plan{}, errors.New("mcp_call needs the strings server and tool, and arguments as an object")
	}
	server, name := args.Server, args.Tool
	if s, shown, direct := catalogue.SplitDirectName(name); direct && (server == "" || server == s) {
		server, name = s, shown
	} else if s, rest, both := strings.Cut(name, "/"); both && (server == "" || server == s) {
		server, name = s, rest
	}
	var text string
	if json.Unmarshal(args.Arguments, &text) == nil && strings.HasPrefix(strings.TrimSpace(text), "{") {
		args.Arguments = json.RawMessage(text) // some models write the object as a string
	}
	return b.plan(ctx, env, server, name, arguments.Parse(args.Arguments))
}

// plan plans a call of a tool. It does not connect to the server.
func (b *Bridge) plan(ctx context.Context, env *tools.Env, server, name string, given arguments.Arguments) (tools.Plan, error) {
	st, known, err := b.usable(ctx, server)
	if err != nil {
		return tools.Plan{}, err
	}
	tool, found := known.Tool(name)
	if !found {
		return tools.Plan{}, missing(server, name, known)
	}
	if given.String() == "null" {
		given = arguments.Parse("")
	}
	if err := tool.Check(given); err != nil {
		return tools.Plan{}, err
	}
	served := &tools.ServerCall{
		Server: server, Tool: tool.Shown, Definition: tool.Hash,
		Allowed: st.allows(tool), EachTime: tool.Hints.Destructive,
	}
	if old, changed := known.Changed[tool.Name]; changed {
		served.Changed = DiffTools(old, tool)
	}
	return tools.Plan{
		Preview: tools.Preview{
			Title:     fmt.Sprintf("%s (%s): %s", server, st.Source(), tool.Shown),
			Arguments: given.Raw(),
			Served:    served,
			ReadOnly:  st.Configured.TrustHints && tool.Hints.ReadOnly && served.Changed == "",
		},
		Apply: func(ctx context.Context) tools.Answer { return b.call(ctx, env, st, tool, given) },
	}, nil
}

func missing(server, name string, known catalogue.ServerInfo) error {
	var names []string
	for _, t := range known.Tools {
		names = append(names, t.Shown)
	}
	if len(names) == 0 {
		return fmt.Errorf("%s offers no tools", server)
	}
	return fmt.Errorf("%s has no tool %q. Its tools: %s%s", server, humanize.Line(name, 80), someOf(names), suggest.Question(name, names))
}

// allows reports whether the user's configuration of the server allows calls of a tool.
func (st *state) allows(t catalogue.Tool) bool {
	return slices.ContainsFunc(st.Configured.Allow, func(pattern string) bool {
		for _, name := range []string{t.Name, t.Shown} {
			if matched, err := doublestar.Match(pattern, name); err == nil && matched {
				return true
			}
		}
		return false
	})
}

// DiffTools returns the lines that differ between an earlier definition of a tool and the current
// one.
func DiffTools(old, now catalogue.Tool) string {
	text := func(t catalogue.Tool) string {
		return fmt.Sprintf("%s\n%s\n%s\nhints: %+v\n", t.Shown, t.Description, indented(t.Schema), t.Hints)
	}
	var lines []string
	for line := range strings.Lines(textdiff.New(text(old), text(now)).Unified("before", "now")) {
		if line = strings.TrimSuffix(line, "\n"); !strings.HasPrefix(line, "---") && !strings.HasPrefix(line, "+++") && !strings.HasPrefix(line, "@@") {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return "+ parts of the definition that are not shown to the model"
	}
	return strings.Join(lines, "\n")
}

func indented(schema json.RawMessage) string {
	var out bytes.Buffer
	if json.Indent(&out, schema, "", " ") != nil {
		return string(schema)
	}
	return out.String()
}

// call makes a planned call that was approved.
func (b *Bridge) call(ctx context.Context, env *tools.Env, st *state, tool catalogue.Tool, given arguments.Arguments) tools.Answer {
	connection, err := b.connect(ctx, st)
	if err != nil {
		return tools.Answer{Error: err.Error()}
	}
	if err := b.agree(st, tool); err != nil {
		return tools.Answer{Error: err.Error()}
	}
	var progress func(mcp.Progress)
	if env.Output != nil {
		progress = func(p mcp.Progress) { fmt.Fprintln(env.Output, humanize.Line(p.String(), 200)) }
	}
	result, err := connection.Call(ctx, tool.Name, given.Raw(), progress)
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return tools.Answer{Error: "interrupted: " + st.Configured.Name + " was notified; the call may have taken effect"}
	}
	if err != nil {
		return tools.Answer{Error: humanize.Line(err.Error(), maxFailure)}
	}
	answer := b.answer(env, result, fileName(st.Configured.Name, tool.Shown))
	if answer.Error == "" && len(answer.Images) == 0 {
		answer.Key = fmt.Sprintf("mcp:%s/%s(%s)", st.Configured.Name, tool.Name, short(given.Raw()))
	}
	return answer
}

// maxFailure is the greatest length of a call's error, in characters.
const maxFailure = 2000

// connect returns the connection to a server. If the server's tools have changed, it updates them.
func (b *Bridge) connect(ctx context.Context, st *state) (Connection, error) {
	connection, err := b.Connect(ctx, st.Configured.Name)
	if err != nil {
		return nil, err
	}
	listed, err := connection.Tools(ctx)
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	known := st.known
	b.mu.Unlock()
	if catalogue.Digest(listed) != known.Digest || connection.Protocol() != known.Protocol {
		now := catalogue.CleanListing(st.Configured.Name, catalogue.Listing{Protocol: connection.Protocol(), Version: connection.Version(), Instructions: connection.Instructions(), Tools: listed}, st.Configured.UsesTool)
		now.Prompts, now.Resources = known.Prompts, known.Resources
		b.learn(st, now)
	}
	return connection, nil
}

// agree records that the user has approved the current definition of a tool. It returns an error if
// the tool has changed since the call was planned.
func (b *Bridge) agree(st *state, tool catalogue.Tool) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	now, found := st.known.Tool(tool.Name)
	if !found {
		return missing(st.Configured.Name, tool.Shown, st.known)
	}
	if now.Hash != tool.Hash {
		return fmt.Errorf("nothing was sent: %s has changed the tool %s since mcp_find listed it. The current definition:\n%s", st.Configured.Name, tool.Shown, catalogue.Entry{Server: st.Configured.Name, Tool: now}.Definition())
	}
	if _, changed := st.known.Changed[tool.Name]; changed {
		changes := map[string]catalogue.Tool{}
		for name, old := range st.known.Changed {
			if name != tool.Name {
				changes[name] = old
			}
		}
		st.known.Changed = changes
		b.save(st)
	}
	return nil
}

// short returns arguments for a key. They are in canonical form or, if they are long, a digest.
func short(arguments json.RawMessage) string {
	const long = 500
	if text, err := rawjson.Canonical(arguments); err == nil {
		arguments = text
	}
	if len(arguments) <= long {
		return string(arguments)
	}
	return fmt.Sprintf("sha256 %x", sha256.Sum256(arguments))
}

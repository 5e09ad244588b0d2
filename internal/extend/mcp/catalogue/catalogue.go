// Package catalogue stores, names, selects and searches the tools of MCP servers. It cleans and
// limits the definitions that servers send, and chooses the tools that fit into a request. It makes
// no connections.
//
// CleanListing converts the Listing of a server to a ServerInfo. A Store keeps a ServerInfo for
// each server between sessions. Fit and Index choose and describe the tools for the model, and Find
// searches them.
package catalogue

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"agent/internal/base/humanize"
	"agent/internal/extend/mcp"
)

// The greatest lengths of a server's texts, in bytes, and the greatest nesting depth of its
// schemas.
const (
	maxDescription  = 2 << 10
	maxSchema       = 8 << 10
	maxSchemaDepth  = 32
	maxInstructions = 2 << 10
	// maxKeptSchema is the greatest length of a schema that only searches offer.
	maxKeptSchema = 64 << 10
)

// Tool is a tool of a server in the form for the model.
type Tool struct {
	// Name is the name of the tool on the server, with which it is called.
	Name string `json:"name"`
	// Shown is the name that the model uses.
	Shown string `json:"shown"`
	// Description is the cleaned description, cut if it is too long.
	Description string          `json:"description,omitempty"`
	Schema      json.RawMessage `json:"schema"`
	// Long is set if the definition is too long for every request.
	Long  bool            `json:"long,omitempty"`
	Hints mcp.Annotations `json:"hints,omitzero"`
	// Hash identifies the definition as the server sent it.
	Hash string `json:"hash"`
}

// ServerInfo holds the data that a server sent at the latest connection.
type ServerInfo struct {
	Protocol     string `json:"protocol,omitempty"`
	Version      string `json:"version,omitempty"`
	Instructions string `json:"instructions,omitempty"`
	Tools        []Tool `json:"tools"`
	// Digest identifies the list of tools as the server sent it.
	Digest string `json:"digest"`
	// Prompts are the prompts that users can list.
	Prompts []mcp.Prompt `json:"prompts,omitempty"`
	// Resources are the resources that users can list, and the model with mcp_read.
	Resources []mcp.Resource `json:"resources,omitempty"`
	// Problems describes omitted tools, and texts that were removed from other tools.
	Problems []string `json:"problems,omitempty"`
	// Failed is the reason why the latest connection failed, empty if it did not.
	Failed string `json:"failed,omitempty"`
	// Changed maps names to the earlier definitions of tools that the server has changed. An entry
	// is removed when the user approves the new definition.
	Changed map[string]Tool `json:"changed,omitempty"`
	// Gone maps the names of tools that the server no longer lists to their hashes. If such a tool
	// returns with another definition, it counts as changed.
	Gone map[string]string `json:"gone,omitempty"`
}

// maxGone is the greatest number of entries of Gone. If Gone is full, every new tool counts as
// changed.
const maxGone = 5000

// Listing holds everything that a server lists, unchanged.
type Listing struct {
	Protocol, Version, Instructions string
	Tools                           []mcp.Tool
	Prompts                         []mcp.Prompt
	Resources                       []mcp.Resource
}

// CleanListing cleans and limits the listing of a server. use reports whether the user has enabled
// a tool; nil means all tools.
func CleanListing(server string, l Listing, use func(tool string) bool) ServerInfo {
	t := cleaner{server: server}
	k := ServerInfo{Protocol: t.line(l.Protocol, 40), Version: t.line(l.Version, 100), Instructions: shorten(t.clean(l.Instructions), maxInstructions)}
	k.Digest = Digest(l.Tools)
	for _, tool := range l.Tools {
		if use == nil || use(tool.Name) {
			k.Tools = t.add(k.Tools, tool)
		}
	}
	k.Prompts, k.Resources = t.prompts(l.Prompts), t.resources(l.Resources)
	k.Problems = t.problems
	if t.removed > 0 {
		k.Problems = append(k.Problems, humanize.Count(t.removed, "invisible character")+" removed from its texts")
	}
	return k
}

// WasConnected reports whether there has been a connection to the server.
func (k ServerInfo) WasConnected() bool { return k.Protocol != "" }

// WithChangesSince returns k after it has filled in Gone, and Changed with the earlier definitions of tools
// that differ from before.
func (k ServerInfo) WithChangesSince(before ServerInfo) ServerInfo {
	k.Gone = before.goneIn(k)
	for _, now := range k.Tools {
		if old, changed := before.earlier(now); changed {
			if k.Changed == nil {
				k.Changed = map[string]Tool{}
			}
			k.Changed[now.Name] = old
		}
	}
	return k
}

// earlier returns the earlier definition of a tool under one of its two names, and whether it
// differs. Users' rules allow a tool by either name, so a different tool under one of these names
// counts as changed.
func (k ServerInfo) earlier(now Tool) (old Tool, changed bool) {
	known := false
	for _, name := range []string{now.Name, now.Shown} {
		old, there := k.agreed(name)
		if known = known || there; there && old.Hash != now.Hash {
			return old, true
		}
	}
	return Tool{Name: now.Name, Shown: now.Shown}, !known && len(k.Gone) >= maxGone
}

// agreed returns the definition of a tool that the user approved. For a deleted tool it returns
// only the hash.
func (k ServerInfo) agreed(name string) (Tool, bool) {
	if t, found := k.Tool(name); found {
		if old, waits := k.Changed[t.Name]; waits {
			return old, true
		}
		return t, true
	}
	hash, gone := k.Gone[name]
	return Tool{Name: name, Shown: name, Hash: hash}, gone
}

// goneIn returns the hashes of tools by the names that no tool in a later listing has.
func (k ServerInfo) goneIn(later ServerInfo) map[string]string {
	gone := map[string]string{}
	maps.Copy(gone, k.Gone)
	for _, t := range k.Tools {
		old, _ := k.agreed(t.Name)
		for _, name := range []string{t.Name, t.Shown} {
			if len(gone) < maxGone {
				gone[name] = old.Hash
			}
		}
	}
	for _, t := range later.Tools {
		delete(gone, t.Name)
		delete(gone, t.Shown)
	}
	return gone
}

// Tool returns the tool with a name, either the server's own name or the name that the model uses.
func (k ServerInfo) Tool(name string) (Tool, bool) {
	i := slices.IndexFunc(k.Tools, func(t Tool) bool { return t.Name == name })
	if i < 0 {
		i = slices.IndexFunc(k.Tools, func(t Tool) bool { return t.Shown == name })
	}
	if i < 0 {
		return Tool{}, false
	}
	return k.Tools[i], true
}

// cleaner cleans a listing and records its problems.
type cleaner struct {
	server   string
	problems []string
	removed  int
}

func (t *cleaner) add(tools []Tool, from mcp.Tool) []Tool {
	shown := humanize.Line(from.Name, 60)
	leave := func(why string) []Tool {
		t.problems = append(t.problems, fmt.Sprintf("tool %s is omitted: %s", shown, why))
		return tools
	}
	if strings.TrimSpace(from.Name) == "" {
		return leave("it has no name")
	}
	if slices.ContainsFunc(tools, func(other Tool) bool { return other.Name == from.Name }) {
		return leave("the server has two tools of that name")
	}
	schema, depth, err := t.cleanSchema(from.InputSchema)
	if err != nil {
		return leave(err.Error())
	}
	tool := Tool{Name: from.Name, Schema: schema, Hints: from.Annotations, Hash: hash(from)}
	if tool.Description = t.clean(from.Description); tool.Description == "" {
		tool.Description = t.clean(from.Title)
	}
	tool.Long = len(tool.Description) > maxDescription || len(schema) > maxSchema || depth > maxSchemaDepth
	tool.Description = shorten(tool.Description, maxDescription)
	if len(tool.Schema) > maxKeptSchema {
		tool.Schema = json.RawMessage(`{"type":"object"}`)
		t.problems = append(t.problems, fmt.Sprintf("tool %s: its schema (%s) is too large and not used", shown, humanize.Bytes(int64(len(schema)))))
	}
	tool.Shown = short(t.server, from.Name, func(name string) bool {
		return slices.ContainsFunc(tools, func(other Tool) bool { return other.Shown == name })
	})
	return append(tools, tool)
}

func hash(t mcp.Tool) string {
	sum := sha256.New()
	for _, part := range []string{t.Name, t.Title, t.Description, string(t.InputSchema), string(t.OutputSchema), fmt.Sprint(t.Annotations)} {
		fmt.Fprintf(sum, "%d:%s", len(part), part)
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// Digest returns the hash of a list of tools.
func Digest(tools []mcp.Tool) string {
	sum := sha256.New()
	for _, t := range tools {
		fmt.Fprintln(sum, hash(t))
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// maxListed is the greatest number of prompts, and of resources, of a server.
const maxListed = 500

func (t *cleaner) prompts(from []mcp.Prompt) []mcp.Prompt {
	var all []mcp.Prompt
	for _, p := range from[:min(len(from), maxListed)] {
		with := mcp.Prompt{Name: p.Name, Title: t.line(p.Title, 100), Description: t.line(p.Description, 200)}
		for _, a := range p.Arguments {
			with.Arguments = append(with.Arguments, &mcp.Argument{Name: t.line(a.Name, 60), Description: t.line(a.Description, 100), Required: a.Required})
		}
		if p.Name != "" && p.Name == t.line(p.Name, 100) && !strings.ContainsAny(p.Name, " /") {
			all = append(all, with)
		}
	}
	return all
}

func (t *cleaner) resources(from []mcp.Resource) []mcp.Resource {
	var all []mcp.Resource
	for _, r := range from[:min(len(from), maxListed)] {
		if r.URI != "" && r.URI == t.line(r.URI, 500) {
			r.Name, r.Title, r.Description, r.MIME = t.line(r.Name, 100), t.line(r.Title, 100), t.line(r.Description, 200), t.line(r.MIME, 60)
			all = append(all, r)
		}
	}
	return all
}

package anthropic

import (
	"slices"

	"agent/internal/history"
	"agent/internal/llm"
)

// takesSystem reports whether the model takes system messages within the conversation.
func (r *request) takesSystem() bool { return r.facts.SystemMessages && !r.dialect.OmitSystem }

// takesToolChanges reports whether the model takes changes of its tools within the conversation.
func (r *request) takesToolChanges() bool { return r.takesSystem() && !r.dialect.OmitToolChanges }

// callsServers is the name of the tool for the tools of servers. Requests with it may get more tools.
const callsServers = "mcp_call"

// placeholder is a deferred tool that the model never gets. A request with a deferred tool has another
// prompt than one without, so that the first tool to come would break the cached prefix.
var placeholder = history.ToolDefinition{Name: "later_tools", Description: "Stands for tools that may come later."}

// changesTools reports whether a request has, or may get, changes of its tools.
func (r *request) changesTools() bool {
	return r.takesToolChanges() && (slices.ContainsFunc(r.Tools, func(t llm.ToolSpec) bool { return t.Name == callsServers }) || changesTools(r.History))
}

// changesTools reports whether a history holds changes of the tools.
func changesTools(entries []*history.Content) bool {
	return holds(entries, func(t *history.Text) bool { return t.Tools != nil })
}

// deferTools declares the tools that come later in the conversation. Of two definitions of a tool the
// first stays, because earlier replies saw it.
func (b *builder) deferTools() {
	b.defined, b.offered = map[string][]byte{}, map[string]bool{}
	for _, t := range b.request.Tools {
		b.offered[t.Name] = true
	}
	if !b.request.changesTools() {
		return
	}
	b.deferTool(placeholder)
	for _, c := range b.request.History {
		for _, x := range c.Blocks {
			if t, is := x.(*history.Text); is && t.Tools != nil {
				for _, tool := range t.Tools.Added {
					b.deferTool(tool)
				}
			}
		}
	}
}

func (b *builder) deferTool(t history.ToolDefinition) {
	if b.offered[t.Name] || b.defined[t.Name] != nil {
		return
	}
	raw := toolBlock(llm.ToolSpec{Name: t.Name, Description: t.Description, Schema: t.Schema})
	raw = append(raw[:len(raw)-1], `,"defer_loading":true}`...)
	b.defined[t.Name] = raw
	b.c.deferred = append(b.c.deferred, raw)
}

// changeTools gives tools to the model and takes tools away, after the newest message. A tool that the
// model has already, or does not have, is no change.
func (b *builder) changeTools(change *history.ToolChange) {
	tell := func(kind, name string) {
		var w writer
		w.raw(`{"type":"` + kind + `","tool":{"type":"tool_reference","name":`)
		w.string(name)
		w.raw(`}}`)
		b.told = append(b.told, w.buf)
	}
	for _, t := range change.Added {
		if !b.offered[t.Name] {
			b.offered[t.Name] = true
			b.hash(b.defined[t.Name])
			tell("tool_addition", t.Name)
		}
	}
	for _, name := range change.Removed {
		if b.offered[name] {
			b.offered[name] = false
			tell("tool_removal", name)
		}
	}
}

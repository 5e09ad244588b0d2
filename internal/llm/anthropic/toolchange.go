package anthropic

import (
	"slices"

	"agent/internal/history"
	"agent/internal/llm"
)

// takesSystem reports whether the model supports system messages within the conversation.
func (r *request) takesSystem() bool { return r.facts.SystemMessages && !r.dialect.OmitSystem }

// takesToolChanges reports whether the model supports changes of its tools within the conversation.
func (r *request) takesToolChanges() bool { return r.takesSystem() && !r.dialect.OmitToolChanges }

// callsServers is the tool that calls tools of servers. During a conversation with it, tools may be
// added.
const callsServers = "mcp_call"

// placeholder is a deferred tool that is never added. A request with a deferred tool has another prompt
// than one without. Without the placeholder, the first added tool would break the cached prefix.
var placeholder = history.ToolDefinition{Name: "later_tools", Description: "Placeholder for tools that may be added later."}

// changesTools reports whether a request has, or may later have, changes of its tools.
func (r *request) changesTools() bool {
	return r.takesToolChanges() && (slices.ContainsFunc(r.Tools, func(t llm.ToolSpec) bool { return t.Name == callsServers }) || changesTools(r.History))
}

// changesTools reports whether a history contains changes of the tools.
func changesTools(entries []*history.Content) bool {
	return holds(entries, func(t *history.Text) bool { return t.Tools != nil })
}

// deferTools declares the tools that the conversation adds later. If a tool is defined twice, the first
// definition is used, because earlier replies were based on it.
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

// changeTools adds and removes tools of the model, after the newest message. It ignores an added tool
// that the model has, and a removed tool that it lacks.
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

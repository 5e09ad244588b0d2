package anthropic

import (
	"slices"

	"agent/internal/base/lazyregexp"
	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/llm/entries"
)

// Dialect describes how an endpoint wants requests, as far as it has taught that by refusals. The
// zero value is the usual form. Its JSON has the parts that stay true in later runs.
type Dialect struct {
	// Bound means that the model accepts thinking only while everything before it is unchanged.
	Bound bool `json:"bound,omitzero"`
	// OmitBinding omits the demand to drop thinking that is void.
	OmitBinding bool `json:"omitBinding,omitzero"`
	// OmitDiagnostics does not ask why the cache missed.
	OmitDiagnostics bool `json:"omitDiagnostics,omitzero"`
	// OmitDisplay leaves the display of thinking to the model.
	OmitDisplay bool `json:"omitDisplay,omitzero"`
	// OmitSchema omits the schema of the reply.
	OmitSchema bool `json:"omitSchema,omitzero"`
	// OmitCache omits the marks of the cache.
	OmitCache bool `json:"omitCache,omitzero"`
	// OmitSystem puts instructions that come later into messages of the user.
	OmitSystem bool `json:"omitSystem,omitzero"`
	// OmitToolChanges tells of changed tools in messages of the user.
	OmitToolChanges bool `json:"omitToolChanges,omitzero"`
	// OmitThinking asks for no thinking, which the model does not have.
	OmitThinking bool `json:"omitThinking,omitzero"`
	// OmitEffort omits the effort, which the model does not take.
	OmitEffort bool `json:"omitEffort,omitzero"`

	ConversationLessons `json:"-"`
}

// ConversationLessons holds lessons from one conversation with an endpoint. They are not kept for
// later runs.
type ConversationLessons struct {
	// Forgotten holds the thinking of this conversation that the endpoint has refused.
	Forgotten *entries.Refused
	// NoThinking returns no thinking, because the endpoint refused new thinking, too.
	NoThinking bool
	// OmitSampling omits temperature and top_p, which the model does not take.
	OmitSampling bool
	// OmitSearch omits the server's own search of the web.
	OmitSearch bool
}

// lesson maps words in a refusal to a change of the dialect.
type lesson struct {
	// words matches a refusal in lower case.
	words  *lazyregexp.Pattern
	change func(d *Dialect, req llm.Request)
	// note describes the loss for the conversation to a user, "" if there is none.
	note string
}

// unknown matches, after the name of a member, the refusal of the member, and not of its value.
const unknown = `.{0,80}(?:extra inputs|not (?:permitted|supported|support|allowed|available)|unsupported|unrecognized|unknown|unexpected|does not)`

// lessons lists all lessons in the order in which they are tried.
var lessons = []lesson{
	{lazyregexp.New(`block_binding` + unknown + `|thinking-binding-controls`), func(d *Dialect, _ llm.Request) { d.OmitBinding = true }, ""},
	{lazyregexp.New(`bound to a different conversation`), func(d *Dialect, req llm.Request) {
		d.Bound = true
		d.forget(req)
	}, "the provider rejected the thinking of earlier replies because earlier messages changed. Continuing without it"},
	{lazyregexp.New(`signature.{0,60}thinking|thinking.{0,60}signature|redacted_thinking|thinking.{0,40}cannot be modified`), func(d *Dialect, req llm.Request) {
		d.forget(req)
	}, "the provider can no longer read the thinking of its earlier replies. Continuing without it"},
	{lazyregexp.New(`diagnostics` + unknown), func(d *Dialect, _ llm.Request) { d.OmitDiagnostics = true }, ""},
	{lazyregexp.New(`cache_control|prompt.caching`), func(d *Dialect, _ llm.Request) { d.OmitCache = true }, ""},
	{lazyregexp.New(`thinking\.\S*display|\bdisplay\b`), func(d *Dialect, _ llm.Request) { d.OmitDisplay = true }, ""},
	{lazyregexp.New(`output_config\.format|output_format|json_schema|structured.output`), func(d *Dialect, req llm.Request) {
		d.OmitSchema = d.OmitSchema || req.Schema != nil
	}, ""},
	{lazyregexp.New(`output_config|\beffort\b`), func(d *Dialect, req llm.Request) {
		d.OmitEffort = d.OmitEffort || req.ReasoningEffort != ""
	}, "the model does not support this reasoning.effort. Continuing with its default"},
	{lazyregexp.New(`defer_loading|tool_addition|tool_removal|tool_reference|mid-conversation-tool-changes`), func(d *Dialect, _ llm.Request) {
		d.OmitToolChanges = true
	}, ""},
	{lazyregexp.New(`messages\S{0,8}role|\brole\b.{0,60}\b(?:user|system)\b|\bsystem\b.{0,20}\brole\b`), func(d *Dialect, req llm.Request) {
		d.OmitSystem = d.OmitSystem || instructs(req.History) || changesTools(req.History)
	}, ""},
	{lazyregexp.New(`temperature|top_p`), func(d *Dialect, req llm.Request) {
		d.OmitSampling = d.OmitSampling || req.Temperature != nil || req.TopP != nil
	}, "the model does not support temperature and top_p. Continuing without them"},
	{lazyregexp.New(`web_search`), func(d *Dialect, req llm.Request) {
		for _, t := range req.Tools {
			d.OmitSearch = d.OmitSearch || t.Searches
		}
	}, "the server offers no web search for this model. Continuing without it"},
	{lazyregexp.New(`(?:adaptive )?thinking` + unknown), func(d *Dialect, _ llm.Request) { d.OmitThinking = true }, ""},
}

// learn is the llm.Learn of this package. It applies the first lesson of a refusal that is new to
// the dialect.
func learn(d Dialect, req llm.Request, refused string) (wanted Dialect, note string) {
	for _, l := range lessons {
		wanted = d
		if l.words.MatchString(refused) {
			l.change(&wanted, req)
		}
		if wanted != d {
			return wanted, l.note
		}
	}
	return d, ""
}

// instructs reports whether a history holds instructions of the program.
func instructs(entries []*history.Content) bool { return holds(entries, (*history.Text).IsInstruction) }

// holds reports whether a text of a history is as wanted.
func holds(entries []*history.Content, is func(*history.Text) bool) bool {
	return slices.ContainsFunc(entries, func(c *history.Content) bool {
		return slices.ContainsFunc(c.Blocks, func(x history.Block) bool { t, text := x.(*history.Text); return text && is(t) })
	})
}

// forget returns no thinking of the conversation so far. If some was forgotten before, or there is
// none, no thinking is returned at all.
func (d *Dialect) forget(req llm.Request) {
	if d.Forgotten != nil {
		d.NoThinking = true
		return
	}
	var all []*history.Attached
	for _, c := range req.History {
		for _, t := range entries.BlocksOf[*history.Thinking](c.Blocks) {
			all = append(all, t.Attached)
		}
	}
	d.Forgotten = entries.Refuse(all)
	d.NoThinking = d.NoThinking || d.Forgotten == nil
}

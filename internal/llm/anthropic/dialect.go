package anthropic

import (
	"slices"

	"agent/internal/base/lazyregexp"
	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/llm/entries"
)

// Dialect describes the form of requests that an endpoint requires, learned from its refusals. The zero
// value is the usual form. Its JSON contains the parts that are kept for later runs.
type Dialect struct {
	// Bound means that the model accepts thinking only while everything before it is unchanged.
	Bound bool `json:"bound,omitzero"`
	// OmitBinding omits the request to drop void thinking.
	OmitBinding bool `json:"omitBinding,omitzero"`
	// OmitDiagnostics omits the request for the reasons of cache misses.
	OmitDiagnostics bool `json:"omitDiagnostics,omitzero"`
	// OmitDisplay omits the display of thinking, so that the model's default applies.
	OmitDisplay bool `json:"omitDisplay,omitzero"`
	// OmitSchema omits the schema of the reply.
	OmitSchema bool `json:"omitSchema,omitzero"`
	// OmitCache omits the cache marks.
	OmitCache bool `json:"omitCache,omitzero"`
	// OmitSystem puts later instructions into messages of the user.
	OmitSystem bool `json:"omitSystem,omitzero"`
	// OmitToolChanges describes changed tools in messages of the user.
	OmitToolChanges bool `json:"omitToolChanges,omitzero"`
	// OmitThinking requests no thinking, because the model does not support it.
	OmitThinking bool `json:"omitThinking,omitzero"`
	// OmitEffort omits the effort, because the model does not support it.
	OmitEffort bool `json:"omitEffort,omitzero"`

	ConversationDialect `json:"-"`
}

// ConversationDialect is the part of a Dialect that applies only to one conversation. It is not stored.
type ConversationDialect struct {
	// Forgotten identifies the thinking that the endpoint has refused. It is not sent again.
	Forgotten *entries.RefusedAttachments
	// NoThinking omits all earlier thinking, because the endpoint refused new thinking, too.
	NoThinking bool
	// OmitSampling omits temperature and top_p, because the model does not support them.
	OmitSampling bool
	// OmitSearch omits the web search by the server.
	OmitSearch bool
}

// lesson maps a pattern of refusals to a change of the dialect.
type lesson struct {
	// words matches a refusal in lower case.
	words  *lazyregexp.Pattern
	change func(d *Dialect, req llm.Request)
	// note describes the loss for the conversation to a user, or is "".
	note string
}

// unknown follows the name of a member. It matches the refusal of the member itself, but not of its
// value.
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
	}, "the model does not support this reasoning.effort. Continuing with the default of the model"},
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

// learn is the llm.LearnDialect of this package. It applies the first lesson for a refusal that changes the
// dialect.
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

// instructs reports whether a history contains instructions of the program.
func instructs(entries []*history.Content) bool { return holds(entries, (*history.Text).IsInstruction) }

// holds reports whether is returns true for a text of a history.
func holds(entries []*history.Content, is func(*history.Text) bool) bool {
	return slices.ContainsFunc(entries, func(c *history.Content) bool {
		return slices.ContainsFunc(c.Blocks, func(x history.Block) bool { t, text := x.(*history.Text); return text && is(t) })
	})
}

// forget omits the thinking of the conversation so far. If some was omitted before, or there is none,
// it omits all thinking in later requests.
func (d *Dialect) forget(req llm.Request) {
	if d.Forgotten != nil {
		d.NoThinking = true
		return
	}
	var all []*history.Attachment
	for _, c := range req.History {
		for _, t := range entries.BlocksOf[*history.Thinking](c.Blocks) {
			all = append(all, t.Attached)
		}
	}
	d.Forgotten = entries.NewRefusedAttachments(all)
	d.NoThinking = d.NoThinking || d.Forgotten == nil
}

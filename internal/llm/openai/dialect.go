package openai

import (
	"cmp"
	"slices"
	"strings"

	"agent/internal/base/lazyregexp"
	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/llm/entries"
	"agent/internal/llm/vendor"
)

// Dialect describes the form of requests that an endpoint requires, learned from its refusals. The zero
// value is the usual form. Its JSON contains the parts that are kept for later runs.
type Dialect struct {
	// OmitUsage omits stream_options. The endpoint then reports no usage.
	OmitUsage bool `json:"omitUsage,omitzero"`
	// Reasoning is the member in which every message with calls must contain its reasoning, or
	// reasoningRefused.
	Reasoning string `json:"reasoning,omitzero"`
	// OmitSummary omits the request for summaries of reasoning, which is forbidden for some accounts
	// and models.
	OmitSummary bool `json:"omitSummary,omitzero"`
	// OmitFreeForm offers every tool as a function with JSON arguments.
	OmitFreeForm bool `json:"omitFreeForm,omitzero"`
	// OmitSchema omits the schema of the reply.
	OmitSchema bool `json:"omitSchema,omitzero"`
	// OmitCache omits all members about the prompt cache.
	OmitCache bool `json:"omitCache,omitzero"`
	// API is the format that the endpoint requires for the model.
	API API `json:"api,omitzero"`
	// OutputLimit is the name of the member that limits the reply.
	OutputLimit string `json:"outputLimit,omitzero"`
	// Signatures means that calls need thought signatures. A call without one gets
	// skipSignature.
	Signatures bool `json:"signatures,omitzero"`
	// AnswerTools means that an assistant message must follow the answer of a tool.
	AnswerTools bool `json:"answerTools,omitzero"`
	// SystemAsUser sends the system prompt as the first user message.
	SystemAsUser bool `json:"systemAsUser,omitzero"`
	// Bound means that the model accepts reasoning only while everything before it is unchanged. It is
	// stored elsewhere and for longer than the other lessons.
	Bound bool `json:"-"`

	ConversationDialect `json:"-"`
}

// ConversationDialect is the part of a Dialect that applies only to one conversation. It is not stored.
type ConversationDialect struct {
	// Forgotten contains the attachments of this conversation that the endpoint has refused.
	Forgotten *entries.RefusedAttachments
	// NoReasoning omits all attachments of reasoning, because the endpoint refused new
	// attachments, too.
	NoReasoning bool
	// NoSignatures omits all attachments of calls, for the same reason.
	NoSignatures bool
	// OmitSampling omits temperature and top-p, because the model does not support them.
	OmitSampling bool
	// OmitEffort omits the reasoning effort, because the model does not support it.
	OmitEffort bool
	// OmitLimit omits the output limit, because the model does not support it.
	OmitLimit bool
	// OmitSearch omits the web search by the server.
	OmitSearch bool
}

// fit returns a request without the settings that the dialect omits.
func (d Dialect) fit(req llm.Request) llm.Request {
	if d.OmitSchema {
		req.Schema = nil
	}
	if d.OmitSearch {
		req.Tools = slices.DeleteFunc(slices.Clone(req.Tools), func(t llm.ToolSpec) bool { return t.Searches })
	}
	if d.OmitSampling {
		req.Temperature, req.TopP = nil, nil
	}
	if d.OmitEffort {
		req.ReasoningEffort = ""
	}
	if d.OmitLimit {
		req.MaxOutputTokens = 0
	}
	return req
}

// reasoningRefused is the value of Dialect.Reasoning if attachments of reasoning must not be sent.
const reasoningRefused = "refused"

// learn is the llm.LearnDialect of this package. It applies the first lesson for a refusal that changes the
// dialect. It returns a note if the lesson affects the conversation or a setting.
func learn(d Dialect, req llm.Request, refused string) (wanted Dialect, note string) {
	req = d.fit(req)
	for _, l := range lessons {
		wanted = d
		if l.words.MatchString(refused) {
			l.learn(&wanted, refused, req)
		}
		switch {
		case wanted.ConversationDialect != d.ConversationDialect:
			return wanted, l.note
		case wanted != d:
			return wanted, ""
		}
	}
	return d, ""
}

// lesson maps a pattern of refusals to a change of the dialect.
type lesson struct {
	// words matches a refusal in lower case.
	words *lazyregexp.Pattern
	// learn changes the dialect.
	learn func(d *Dialect, refused string, req llm.Request)
	// note describes the loss for the conversation to a user, or is "".
	note string
}

// fixedLesson returns a lesson that depends only on the text of the refusal.
func fixedLesson(words string, change func(d *Dialect)) lesson {
	return lesson{words: lazyregexp.New(words), learn: func(d *Dialect, _ string, _ llm.Request) { change(d) }}
}

// lessons lists all lessons in the order in which they are tried.
var lessons = []lesson{
	{lazyregexp.New(`web_search|tool.type|server.tool|\bsearch\b`), func(d *Dialect, _ string, req llm.Request) {
		d.OmitSearch = d.OmitSearch || slices.ContainsFunc(req.Tools, func(t llm.ToolSpec) bool { return t.Searches })
	}, "the server can't combine web search with tools for this model. Continuing without web search"},
	fixedLesson(`stream_options`, func(d *Dialect) { d.OmitUsage = true }),
	fixedLesson(`prompt_cache|cache_control|session_id`, func(d *Dialect) { d.OmitCache = true }),
	fixedLesson(`v1/responses`, func(d *Dialect) { d.API = APIResponses }),
	fixedLesson(`reasoning.summar`, func(d *Dialect) { d.OmitSummary = true }),
	fixedLesson(`['"\x60]custom['"\x60]|\bcustom.tools?\b|\blark\b`, func(d *Dialect) { d.OmitFreeForm = true }),
	{lazyregexp.New(`response_format|json_schema|text\.format|structured.output|grammar`), func(d *Dialect, _ string, req llm.Request) {
		d.OmitSchema = d.OmitSchema || req.Schema != nil
	}, ""},
	fixedLesson(`role '?user'? after role '?tool`, func(d *Dialect) { d.AnswerTools = true }),
	fixedLesson(`system (?:role|messages?) (?:is |are )?not supported|only user and assistant roles|developer instruction is not enabled`, func(d *Dialect) { d.SystemAsUser = true }),
	{lazyregexp.New(`temperature|top_p`), func(d *Dialect, refused string, req llm.Request) {
		d.OmitSampling = d.OmitSampling || (req.Temperature != nil || req.TopP != nil) && neverTaken.MatchString(refused)
	}, "the model does not support temperature and top_p. Continuing without them"},
	{lazyregexp.New(`reasoning_effort|reasoning\.effort`), func(d *Dialect, refused string, req llm.Request) {
		d.OmitEffort = d.OmitEffort || req.ReasoningEffort != "" && neverTaken.MatchString(refused)
	}, "the model does not support this reasoning.effort. Continuing with the default of the model"},
	{lazyregexp.New(`max_(?:completion_)?tokens`), learnOutputLimit, "the model does not support max-output-tokens. Continuing without it"},
	{lazyregexp.New(`thought.?signature`), learnSignatures, "the provider rejected the signatures of earlier tool calls. Continuing without them"},
	{lazyregexp.New(`bound to a different conversation|prefix.{0,10}mismatch`), func(d *Dialect, _ string, req llm.Request) {
		d.Bound = true
		d.forget(reasoningIn(req.History), &d.NoReasoning)
	}, "the provider rejected the reasoning of earlier replies because earlier messages changed. Continuing without it"},
	{
		lazyregexp.New(`encrypted.content|signature.{0,40}thinking|thinking.{0,40}signature|reasoning_details`), learnUnreadable,
		"the provider can no longer read the reasoning of earlier replies (it is too old, or from another account). Continuing without it",
	},
	{lazyregexp.New("reasoning_content|[`'\"]reasoning[`'\"]"), learnReasoning, ""},
}

var (
	// badSignature matches the refusal of a signature, but not the demand for a missing one.
	badSignature = lazyregexp.New(`corrupt|invalid|not valid|mismatch|does not match|could not be`)
	// unknownMember matches the refusal of a member, but not the demand for a missing one.
	unknownMember = lazyregexp.New(`unsupported|not (?:permitted|supported|support|allowed|available|accept)|disallowed|deprecated|unrecognized|unknown|unexpected|extra|cannot both`)
	// neverTaken matches the refusal of a setting that the model does not support, but not of a value
	// that is wrong for every model.
	neverTaken = lazyregexp.New(`not (?:support|permitted|allowed|available|accept)|unsupported|unrecognized|unknown|unexpected|deprecated|disallowed|extra inputs|only be set|cannot both|only the default`)
)

// learnOutputLimit learns the name of the member with the output limit, or that the endpoint supports
// no limit.
func learnOutputLimit(d *Dialect, refused string, req llm.Request) {
	sent := cmp.Or(d.OutputLimit, vendor.At("", req.Model).OutputLimit)
	switch {
	case req.MaxOutputTokens == 0 || !strings.Contains(refused, sent):
	case !unknownMember.MatchString(refused) && !strings.Contains(refused, "instead"):
	case d.OutputLimit != "":
		d.OmitLimit = true
	case sent == vendor.LimitNew:
		d.OutputLimit = vendor.LimitOld
	default:
		d.OutputLimit = vendor.LimitNew
	}
}

// learnSignatures learns to send signatures, or to omit the signatures of this conversation.
func learnSignatures(d *Dialect, refused string, req llm.Request) {
	d.Signatures = true
	if badSignature.MatchString(refused) {
		d.forget(signaturesIn(req.History), &d.NoSignatures)
	}
}

// learnUnreadable learns to omit the reasoning of this conversation, or that the endpoint accepts no
// reasoning.
func learnUnreadable(d *Dialect, refused string, req llm.Request) {
	if unknownMember.MatchString(refused) {
		d.Reasoning = reasoningRefused
		return
	}
	d.forget(reasoningIn(req.History), &d.NoReasoning)
}

// forget omits the refused attachments. If it has omitted some before, or if there are none, it sets
// all, which omits all attachments of their kind.
func (d *Dialect) forget(refused []*history.Attachment, all *bool) {
	if d.Forgotten != nil {
		*all = true
		return
	}
	d.Forgotten = entries.NewRefusedAttachments(refused)
	*all = *all || d.Forgotten == nil
}

// learnReasoning learns whether to send reasoning in plain text, and in which member.
func learnReasoning(d *Dialect, refused string, _ llm.Request) {
	if strings.Contains(refused, "'reasoning' item") {
		return // a reasoning item of the Responses API is not a member of a message
	}
	field := fieldReasoning
	if strings.Contains(refused, fieldReasoningContent) {
		field = fieldReasoningContent
	}
	if d.Reasoning == field || unknownMember.MatchString(refused) {
		field = reasoningRefused
	}
	d.Reasoning = field
}

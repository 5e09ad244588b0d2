package openai

import (
	"cmp"
	"strings"

	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/llm/vendor"
	"agent/internal/pattern"
)

// Dialect is how an endpoint wants to be asked, where that differs from the
// default. The zero value is the default. In JSON it is what stays true from one run
// to the next.
type Dialect struct {
	// OmitUsage leaves stream_options out: then there are no usage numbers, which
	// is better than no reply.
	OmitUsage bool `json:"omitUsage,omitzero"`
	// Reasoning is the member in which every message with calls must bring its
	// reasoning back, or reasoningRefused.
	Reasoning string `json:"reasoning,omitzero"`
	// OmitSummary leaves out the wish for summaries of reasoning, which some accounts
	// and models do not get.
	OmitSummary bool `json:"omitSummary,omitzero"`
	// OmitFreeForm offers every tool as a function.
	OmitFreeForm bool `json:"omitFreeForm,omitzero"`
	// OmitSchema leaves out the schema of the reply.
	OmitSchema bool `json:"omitSchema,omitzero"`
	// OmitCache leaves out everything about the prompt cache.
	OmitCache bool `json:"omitCache,omitzero"`
	// API is the format that the endpoint wants for the model.
	API API `json:"api,omitzero"`
	// OutputLimit is the member that bounds the reply.
	OutputLimit string `json:"outputLimit,omitzero"`
	// Signatures says that calls need thought signatures, and that one without gets
	// the one that says so.
	Signatures bool `json:"signatures,omitzero"`

	// AnswerTools says that what a tool answers must be followed by the assistant.
	AnswerTools bool `json:"answerTools,omitzero"`

	// SystemAsUser sends the system prompt as what the user says first.
	SystemAsUser bool `json:"systemAsUser,omitzero"`

	Passing `json:"-"`
}

// Passing is what was learned of a conversation with an endpoint and not of the endpoint.
type Passing struct {
	// Forgotten are attachments of this conversation that the endpoint has refused.
	Forgotten *Forgotten
	// NoReasoning and NoSignatures keep back all that came attached to reasoning, and
	// to calls: new ones were refused as well.
	NoReasoning, NoSignatures bool
	// OmitSampling leaves out temperature and top-p, OmitEffort the effort, OmitLimit
	// the bound of the output: settings that the model does not take.
	OmitSampling, OmitEffort, OmitLimit bool
}

// fit is a request without the settings that are left out.
func (d Dialect) fit(req llm.Request) llm.Request {
	if d.OmitSchema {
		req.Schema = nil
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

// reasoningRefused: what is attached to reasoning must not be sent.
const reasoningRefused = "refused"

// learn is the llm.Learn of this wire: the first lesson in a refusal that is news to the
// dialect. There is a note if the conversation loses something by it, or a setting.
func learn(d Dialect, req llm.Request, refused string) (wanted Dialect, note string) {
	req = d.fit(req)
	for _, l := range lessons {
		wanted = d
		if l.words.MatchString(refused) {
			l.learn(&wanted, refused, req)
		}
		switch {
		case wanted.Passing != d.Passing:
			return wanted, l.note
		case wanted != d:
			return wanted, ""
		}
	}
	return d, ""
}

// lesson is what a refusal teaches.
type lesson struct {
	// words identify it in a refusal, in lower case.
	words *pattern.Pattern
	learn func(d *Dialect, refused string, req llm.Request)
	// note says to a person what the conversation loses, "" if nothing.
	note string
}

// always is a lesson that needs only its words.
func always(words string, change func(d *Dialect)) lesson {
	return lesson{words: pattern.New(words), learn: func(d *Dialect, _ string, _ llm.Request) { change(d) }}
}

// lessons are tried in order.
var lessons = []lesson{
	always(`stream_options`, func(d *Dialect) { d.OmitUsage = true }),
	always(`prompt_cache|cache_control|session_id`, func(d *Dialect) { d.OmitCache = true }),
	always(`v1/responses`, func(d *Dialect) { d.API = APIResponses }),
	always(`reasoning.summar`, func(d *Dialect) { d.OmitSummary = true }),
	always(`['"\x60]custom['"\x60]|\bcustom.tools?\b|\blark\b`, func(d *Dialect) { d.OmitFreeForm = true }),
	{pattern.New(`response_format|json_schema|text\.format|structured.output|grammar`), func(d *Dialect, _ string, req llm.Request) {
		d.OmitSchema = d.OmitSchema || req.Schema != nil
	}, ""},
	always(`role '?user'? after role '?tool`, func(d *Dialect) { d.AnswerTools = true }),
	always(`system (?:role|messages?) (?:is |are )?not supported|only user and assistant roles|developer instruction is not enabled`, func(d *Dialect) { d.SystemAsUser = true }),
	{pattern.New(`temperature|top_p`), func(d *Dialect, refused string, req llm.Request) {
		d.OmitSampling = d.OmitSampling || (req.Temperature != nil || req.TopP != nil) && neverTaken.MatchString(refused)
	}, "the model does not take the settings temperature and top-p; the conversation goes on without them"},
	{pattern.New(`reasoning_effort|reasoning\.effort`), func(d *Dialect, refused string, req llm.Request) {
		d.OmitEffort = d.OmitEffort || req.ReasoningEffort != "" && neverTaken.MatchString(refused)
	}, "the model does not take this reasoning.effort; the conversation goes on with its own"},
	{pattern.New(`max_(?:completion_)?tokens`), learnOutputLimit, "the model takes no bound of its output; the conversation goes on without max-output-tokens"},
	{pattern.New(`thought.?signature`), learnSignatures, "the provider refused the signatures of earlier calls; the conversation goes on without them"},
	{
		pattern.New(`encrypted.content|signature.{0,40}thinking|thinking.{0,40}signature|reasoning_details`), learnUnreadable,
		"the provider cannot read its reasoning of earlier replies any more (another account, or too old); the conversation goes on without it",
	},
	{pattern.New("reasoning_content|[`'\"]reasoning[`'\"]"), learnReasoning, ""},
}

var (
	// badSignature is of a signature that was sent, not a demand for one that was not.
	badSignature = pattern.New(`corrupt|invalid|not valid|mismatch|does not match|could not be`)
	// unknownMember is of a member that was sent, not a demand for one that was not.
	unknownMember = pattern.New(`unsupported|not (?:permitted|supported|support|allowed|available|accept)|disallowed|deprecated|unrecognized|unknown|unexpected|extra|cannot both`)
	// neverTaken is of a setting that the model never takes, or not so, and not of a value
	// that is wrong everywhere.
	neverTaken = pattern.New(`not (?:support|permitted|allowed|available|accept)|unsupported|unrecognized|unknown|unexpected|deprecated|disallowed|extra inputs|only be set|cannot both|only the default`)
)

// learnOutputLimit learns which of the two names of one member is known, or that none
// is.
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

// learnSignatures learns to send signatures, or that those of this conversation are
// of no use.
func learnSignatures(d *Dialect, refused string, req llm.Request) {
	d.Signatures = true
	if badSignature.MatchString(refused) {
		d.forget(signaturesIn(req.History), &d.NoSignatures)
	}
}

// learnUnreadable learns that the reasoning of this conversation is of no use to the
// endpoint, or that it takes none.
func learnUnreadable(d *Dialect, refused string, req llm.Request) {
	if unknownMember.MatchString(refused) {
		d.Reasoning = reasoningRefused
		return
	}
	d.forget(thoughtsIn(req.History), &d.NoReasoning)
}

// forget keeps refused attachments back; where some were kept back before, or there are
// none, it keeps back all of their kind.
func (d *Dialect) forget(refused []*history.Attached, all *bool) {
	if d.Forgotten != nil {
		*all = true
		return
	}
	d.Forgotten = forgetting(refused)
	*all = *all || d.Forgotten == nil
}

// learnReasoning learns whether reasoning in words is wanted back, and where.
func learnReasoning(d *Dialect, refused string, _ llm.Request) {
	if strings.Contains(refused, "'reasoning' item") {
		return // of the Responses API, which has it in no member
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

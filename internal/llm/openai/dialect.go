package openai

import (
	"cmp"
	"strings"

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

// lasting keeps of a dialect what is true of the endpoint whatever the conversation.
type lasting struct{ llm.Lessons[Dialect] }

// Keep implements llm.Lessons.
func (l lasting) Keep(model string, d Dialect) {
	d.Passing = Passing{}
	l.Lessons.Keep(model, d)
}

// learn is the llm.Learn of this wire: the first lesson in a refusal that is news to the
// dialect. There is a note if the conversation loses something by it, or a setting.
func learn(d Dialect, req llm.Request, refusal string) (wanted Dialect, note string) {
	req = d.fit(req)
	for _, l := range lessons {
		if !l.words.MatchString(refusal) {
			continue
		}
		wanted = d
		if l.learn(&wanted, refusal, req); wanted == d {
			continue
		}
		if wanted.Passing != d.Passing {
			note = l.note
		}
		return wanted, note
	}
	return d, ""
}

// lesson is a refusal and the dialect it teaches.
type lesson struct {
	// words identify the refusal.
	words *pattern.Pattern
	learn func(d *Dialect, refusal string, req llm.Request)
	// note tells a person what the conversation loses, "" if nothing.
	note string
}

var lessons = []lesson{
	{words: pattern.New(`stream_options`), learn: func(d *Dialect, _ string, _ llm.Request) { d.OmitUsage = true }},
	{words: pattern.New(`prompt_cache|cache_control|session_id`), learn: func(d *Dialect, _ string, _ llm.Request) { d.OmitCache = true }},
	{words: pattern.New(`v1/responses`), learn: func(d *Dialect, _ string, _ llm.Request) { d.API = APIResponses }},
	{words: pattern.New(`reasoning.summar`), learn: func(d *Dialect, _ string, _ llm.Request) { d.OmitSummary = true }},
	{words: pattern.New(`role '?user'? after role '?tool`), learn: func(d *Dialect, _ string, _ llm.Request) { d.AnswerTools = true }},
	{words: pattern.New(`system (?:role|messages?) (?:is |are )?not supported|only user and assistant roles|developer instruction is not enabled`), learn: func(d *Dialect, _ string, _ llm.Request) { d.SystemAsUser = true }},
	{
		words: pattern.New(`temperature|top_p`), learn: learnSampling,
		note: "the model does not take the settings temperature and top-p; the conversation goes on without them",
	},
	{
		words: pattern.New(`reasoning_effort|reasoning\.effort`), learn: learnEffort,
		note: "the model does not take this reasoning.effort; the conversation goes on with its own",
	},
	{
		words: pattern.New(`max_(?:completion_)?tokens`), learn: learnOutputLimit,
		note: "the model takes no bound of its output; the conversation goes on without max-output-tokens",
	},
	{
		words: pattern.New(`thought.?signature`), learn: learnSignatures,
		note: "the provider refused the signatures of earlier calls; the conversation goes on without them",
	},
	{
		words: pattern.New(`encrypted.content|signature.{0,40}thinking|thinking.{0,40}signature|reasoning_details`), learn: learnUnreadable,
		note: "the provider cannot read its reasoning of earlier replies any more (another account, or too old); the conversation goes on without it",
	},
	{words: pattern.New(fieldReasoningContent + "|[`'\"]" + fieldReasoning + "[`'\"]"), learn: learnReasoning},
}

var (
	// badSignature and unknownField tell a refusal of what was sent from a demand
	// for what was not.
	badSignature = pattern.New(`corrupt|invalid|not valid|mismatch|does not match|could not be`)
	unknownField = pattern.New(`unsupported|not (?:permitted|supported|support|allowed|available|accept)|disallowed|deprecated|unrecognized|unknown|unexpected|extra|cannot both`)
)

// refusedValue tells a setting that the model never takes, or not so, from a value that
// is wrong everywhere.
var refusedValue = pattern.New(`not (?:support|permitted|allowed|available|accept)|unsupported|unrecognized|unknown|unexpected|deprecated|disallowed|extra inputs|only be set|cannot both|only the default`)

// learnSampling learns that the model wants to choose by itself.
func learnSampling(d *Dialect, refusal string, req llm.Request) {
	d.OmitSampling = d.OmitSampling || (req.Temperature != nil || req.TopP != nil) && refusedValue.MatchString(refusal)
}

// learnEffort learns that the model thinks as much as it wants.
func learnEffort(d *Dialect, refusal string, req llm.Request) {
	d.OmitEffort = d.OmitEffort || req.ReasoningEffort != "" && refusedValue.MatchString(refusal)
}

// learnOutputLimit learns which of the two names of one member is known, or that none
// is.
func learnOutputLimit(d *Dialect, refusal string, req llm.Request) {
	sent := cmp.Or(d.OutputLimit, vendor.At("", req.Model).OutputLimit)
	switch {
	case req.MaxOutputTokens == 0 || !strings.Contains(refusal, sent):
	case !unknownField.MatchString(refusal) && !strings.Contains(refusal, "instead"):
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
func learnSignatures(d *Dialect, refusal string, req llm.Request) {
	d.Signatures = true
	if !badSignature.MatchString(refusal) {
		return
	}
	more, news := d.Forgotten.with(signaturesIn(req.History))
	if d.Forgotten != nil || !news {
		d.NoSignatures = true
		return
	}
	d.Forgotten = more
}

// learnUnreadable learns that the reasoning of this conversation is of no use to the
// endpoint, or that it takes none.
func learnUnreadable(d *Dialect, refusal string, req llm.Request) {
	if unknownField.MatchString(refusal) {
		d.Reasoning = reasoningRefused
		return
	}
	more, news := d.Forgotten.with(thoughtsIn(req.History))
	if d.Forgotten != nil || !news {
		d.NoReasoning = true
		return
	}
	d.Forgotten = more
}

// learnReasoning learns whether reasoning in words is wanted back, and where.
func learnReasoning(d *Dialect, refusal string, _ llm.Request) {
	if strings.Contains(refusal, "'reasoning' item") {
		return // of the Responses API, which has it in no member
	}
	field := fieldReasoning
	if strings.Contains(refusal, fieldReasoningContent) {
		field = fieldReasoningContent
	}
	if d.Reasoning == field || unknownField.MatchString(refusal) {
		field = reasoningRefused
	}
	d.Reasoning = field
}

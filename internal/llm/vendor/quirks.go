package vendor

// Wants describes how requests to an endpoint for a model differ from the usual requests. The zero
// value describes usual requests.
type Wants struct {
	// Responses means that the model takes tools with reasoning only on the Responses API,
	// or better there.
	Responses bool
	// Messages means that the model is reached over the Messages API of Anthropic.
	Messages bool
	// Instructions means that the system prompt is the member instructions of a request on the
	// Responses API, and that the server keeps nothing.
	Instructions bool
	// Search is how the endpoint itself searches the web, SearchNone if it does not.
	Search Search
	// FreeForm means that the model takes, on the Responses API, tools whose argument is a text in
	// a grammar.
	FreeForm bool
	// Title means that a header names the program, which the vendor shows on its pages.
	Title bool
	// CallIDs is the form of the ids of calls.
	CallIDs IDForm
	// AnswersTools means that an assistant message must follow the answer of a tool.
	AnswersTools bool
	// ReportsUsage means that the endpoint reports usage by itself and refuses stream_options.
	ReportsUsage bool
	// OutputLimit is the name of the member that limits the reply; "" means LimitOld.
	OutputLimit string

	// Reasoning is the member in which every message with calls must return its reasoning,
	// "" for none.
	Reasoning string
	// Thoughts means that reasoning in words is returned in the member in which it came.
	Thoughts bool
	// Signatures means that the first call of every message must have a thought signature.
	Signatures bool

	// Documents means that messages may hold PDFs, in the form of OpenAI.
	Documents bool

	// CacheKey means that prompt_cache_key is sent to find the prefix of a session.
	CacheKey bool
	// SessionID means that session_id is sent for the same purpose.
	SessionID bool
	// Breakpoint means that the cache finds a prefix only at a mark after the system prompt.
	Breakpoint bool
	// CacheMarks means that the endpoint reads marks as Anthropic defines them.
	CacheMarks bool
}

// Search is how a request asks for a search of the web by the endpoint itself.
type Search int

// The ways.
const (
	SearchNone Search = iota
	// SearchResponses is the tool web_search of the Responses API.
	SearchResponses
	// SearchOpenRouter is the tool of OpenRouter.
	SearchOpenRouter
	// SearchMessages is the tool web_search of the Messages API.
	SearchMessages
)

// IDForm is the form that the ids of calls must have. Vendors refuse a whole conversation because
// of an id that another vendor has made.
type IDForm int

// The forms.
const (
	// PlainIDs have at most 40 letters, digits, _ and -, for OpenAI and Anthropic.
	PlainIDs IDForm = iota
	// AnyIDs have any form.
	AnyIDs
	// NineIDs have nine letters and digits, for Mistral.
	NineIDs
)

// ReasoningContent is the member in which most vendors send reasoning and want it returned.
const ReasoningContent = "reasoning_content"

// The two names of the member that limits the reply.
const (
	LimitOld = "max_tokens"
	LimitNew = "max_completion_tokens"
)

// At returns the needs of the endpoint at a host for a model: the needs of the model's family,
// changed by the needs of the vendor.
func At(host, model string) Wants {
	v, f, name := at(host), FamilyOf(model), BaseName(model)
	w := v.wants
	// OpenAI's reasoning models refuse the old name; other servers often know only the old one.
	w.OutputLimit = LimitOld
	if generation := openAIGeneration(name); generation >= oSeries {
		w.OutputLimit, w.FreeForm = LimitNew, generation >= gpt5
	}
	if f.wants.CallIDs != PlainIDs {
		w.CallIDs = f.wants.CallIDs
	}
	if !v.translates {
		w.CacheMarks = w.CacheMarks || f.wants.CacheMarks
		if w.Reasoning == "" {
			w.Reasoning = f.wants.Reasoning
		}
	}
	if v.adjust != nil {
		v.adjust(name, &w)
	}
	return w
}

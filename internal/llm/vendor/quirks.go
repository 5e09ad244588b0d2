package vendor

// Wants describes how requests to an endpoint for a model differ from the usual requests. The zero
// value means usual requests.
type Wants struct {
	// Responses means that the model supports tools with reasoning only, or better, on the Responses
	// API.
	Responses bool
	// Messages means that the model is served over the Messages API of Anthropic.
	Messages bool
	// Instructions means that the system prompt is the member instructions of a Responses API request,
	// and that the server stores no state.
	Instructions bool
	// Search is how the endpoint searches the web, or SearchNone.
	Search Search
	// FreeForm means that, on the Responses API, the model supports tools whose argument is a text with
	// a grammar.
	FreeForm bool
	// Title means that the vendor accepts a header with the name of the program, which it shows on its
	// pages.
	Title bool
	// CallIDs is the form of the ids of calls.
	CallIDs IDForm
	// AnswersTools means that an assistant message must follow the answer of a tool.
	AnswersTools bool
	// ReportsUsage means that the endpoint reports usage without stream_options, and refuses
	// stream_options.
	ReportsUsage bool
	// OutputLimit is the name of the member with the output limit; "" means LimitOld.
	OutputLimit string

	// Reasoning is the member in which every message with calls must contain its reasoning, or "".
	Reasoning string
	// Thoughts means that reasoning in plain text is sent in the member in which it was received.
	Thoughts bool
	// Signatures means that the first call of every message must have a thought signature.
	Signatures bool

	// Documents means that messages may contain PDFs, in the form of OpenAI.
	Documents bool

	// CacheKey means that prompt_cache_key is sent to find the prefix of a session.
	CacheKey bool
	// SessionID means that session_id is sent for the same purpose.
	SessionID bool
	// Breakpoint means that the cache finds a prefix only at a mark after the system prompt.
	Breakpoint bool
	// CacheMarks means that the endpoint supports marks as Anthropic defines them.
	CacheMarks bool
}

// Search is how a request asks the endpoint to search the web.
type Search int

// The kinds of search.
const (
	SearchNone Search = iota
	// SearchResponses is the tool web_search of the Responses API.
	SearchResponses
	// SearchOpenRouter is the tool of OpenRouter.
	SearchOpenRouter
	// SearchMessages is the tool web_search of the Messages API.
	SearchMessages
)

// IDForm is the form that the ids of calls must have. Vendors refuse a whole conversation if another
// vendor's id has the wrong form.
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

// ReasoningContent is the member in which most vendors send reasoning and require it again.
const ReasoningContent = "reasoning_content"

// The two names of the member with the output limit.
const (
	LimitOld = "max_tokens"
	LimitNew = "max_completion_tokens"
)

// At returns the requirements of the endpoint at a host for a model: those of the model's family,
// changed by those of the vendor.
func At(host, model string) Wants {
	v, f, name := at(host), FamilyOf(model), BaseName(model)
	w := v.wants
	// OpenAI's reasoning models refuse the old name. Other servers often support only the old name.
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

package vendor

// Wants is what an endpoint wants of a request for a model, where that differs from what
// most take. The zero value is what most take.
type Wants struct {
	// Responses: the model takes tools with reasoning only on the Responses API, or
	// better there.
	Responses bool
	// FreeForm: the model takes tools on the Responses API whose argument is a text in a
	// grammar.
	FreeForm bool
	// Title: the program's name is shown on the vendor's pages, by a header.
	Title bool
	// CallIDs is what the ids of calls may look like.
	CallIDs IDForm
	// AnswersTools: what a tool answers must be followed by the assistant.
	AnswersTools bool
	// ReportsUsage: usage comes unasked, and the question for it is refused.
	ReportsUsage bool
	// OutputLimit is the member that bounds the reply; "" means LimitOld.
	OutputLimit string

	// Reasoning is the member in which every message with calls must bring its
	// reasoning back, "" for none.
	Reasoning string
	// Thoughts: reasoning in words is sent back in the member that it came in.
	Thoughts bool
	// Signatures: the first call of every message must have a thought signature.
	Signatures bool

	// CacheKey and SessionID are taken to find the prefix of a session.
	CacheKey, SessionID bool
	// Breakpoint: a prefix in the cache is found only at a mark after the system prompt.
	Breakpoint bool
	// CacheMarks: marks in the manner of Anthropic are read.
	CacheMarks bool
}

// IDForm is what the ids of calls may look like: vendors refuse the whole conversation
// for one that another vendor has made.
type IDForm int

// The forms.
const (
	// PlainIDs: letters, digits, _ and -, forty at most, as OpenAI and Anthropic want it.
	PlainIDs IDForm = iota
	// AnyIDs: whatever they are.
	AnyIDs
	// NineIDs: nine letters and digits, as Mistral wants it.
	NineIDs
)

// ReasoningContent is the member in which most vendors that send reasoning want it back.
const ReasoningContent = "reasoning_content"

// The two names of the member that bounds the reply.
const (
	LimitOld = "max_tokens"
	LimitNew = "max_completion_tokens"
)

// At returns what the endpoint at a host wants for a model: what the model's family
// wants, with the vendor's own word above it.
func At(host, model string) Wants {
	v, f, name := at(host), FamilyOf(model), BaseName(model)
	w := v.wants
	// OpenAI's reasoning models refuse the old name; other servers often know only that one.
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

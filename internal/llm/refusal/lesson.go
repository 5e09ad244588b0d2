package refusal

import "agent/internal/pattern"

// Lesson is what a refusal says the endpoint wants otherwise.
type Lesson int

// The lessons, in the order in which they are looked for.
const (
	// StreamOptions: it knows no stream_options.
	StreamOptions Lesson = iota
	// CacheHints: it takes nothing about the prompt cache.
	CacheHints
	// ResponsesAPI: it wants the Responses API for the model.
	ResponsesAPI
	// Summaries: it gives no summaries of reasoning.
	Summaries
	// FreeForm: it takes tools as functions only.
	FreeForm
	// Schemas: it enforces no schema of a reply.
	Schemas
	// UserAfterTool: the assistant must speak between a tool and the user.
	UserAfterTool
	// SystemRole: it knows no system prompt.
	SystemRole
	// Sampling, Effort and OutputLimit: it complains of temperature or top-p, of the
	// effort, of the bound of the output.
	Sampling
	Effort
	OutputLimit
	// Signatures: it complains of thought signatures of calls.
	Signatures
	// Unreadable: it cannot read reasoning that came from it.
	Unreadable
	// Reasoning: it complains of reasoning in words.
	Reasoning
)

// lessonWords identify the lessons in a refusal, in lower case.
var lessonWords = []*pattern.Pattern{
	StreamOptions: pattern.New(`stream_options`),
	CacheHints:    pattern.New(`prompt_cache|cache_control|session_id`),
	ResponsesAPI:  pattern.New(`v1/responses`),
	Summaries:     pattern.New(`reasoning.summar`),
	FreeForm:      pattern.New(`['"\x60]custom['"\x60]|\bcustom.tools?\b|\blark\b`),
	Schemas:       pattern.New(`response_format|json_schema|text\.format|structured.output|grammar`),
	UserAfterTool: pattern.New(`role '?user'? after role '?tool`),
	SystemRole:    pattern.New(`system (?:role|messages?) (?:is |are )?not supported|only user and assistant roles|developer instruction is not enabled`),
	Sampling:      pattern.New(`temperature|top_p`),
	Effort:        pattern.New(`reasoning_effort|reasoning\.effort`),
	OutputLimit:   pattern.New(`max_(?:completion_)?tokens`),
	Signatures:    pattern.New(`thought.?signature`),
	Unreadable:    pattern.New(`encrypted.content|signature.{0,40}thinking|thinking.{0,40}signature|reasoning_details`),
	Reasoning:     pattern.New("reasoning_content|[`'\"]reasoning[`'\"]"),
}

// Lessons returns the lessons that a refusal, in lower case, may teach.
func Lessons(refusal string) []Lesson {
	var found []Lesson
	for lesson, words := range lessonWords {
		if words.MatchString(refusal) {
			found = append(found, Lesson(lesson))
		}
	}
	return found
}

var (
	badSignature = pattern.New(`corrupt|invalid|not valid|mismatch|does not match|could not be`)
	unknownField = pattern.New(`unsupported|not (?:permitted|supported|support|allowed|available|accept)|disallowed|deprecated|unrecognized|unknown|unexpected|extra|cannot both`)
	refusedValue = pattern.New(`not (?:support|permitted|allowed|available|accept)|unsupported|unrecognized|unknown|unexpected|deprecated|disallowed|extra inputs|only be set|cannot both|only the default`)
)

// IsBadSignature reports whether a refusal is of a signature that was sent, not a demand
// for one that was not.
func IsBadSignature(refusal string) bool { return badSignature.MatchString(refusal) }

// IsUnknownMember reports whether a refusal is of a member that was sent, not a demand
// for one that was not.
func IsUnknownMember(refusal string) bool { return unknownField.MatchString(refusal) }

// IsNeverTaken reports whether a refusal is of a setting that the model never takes, or
// not so, and not of a value that is wrong everywhere.
func IsNeverTaken(refusal string) bool { return refusedValue.MatchString(refusal) }

package refusal

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"agent/internal/base/lazyregexp"
	"agent/internal/llm"
	"agent/internal/llm/vendor"
)

// Hints that the client uses for its own errors, too.
const (
	HintNoKey             = "agent sent no API key; set " + vendor.EnvKey + " or the profile's auth-keyfile"
	HintBaseURL           = "check base-url, which usually ends in /v1"
	HintServerViolatesAPI = "the server violates this API; update it, or use another endpoint or model"
)

// The other hints, by the remedy.
const (
	hintKey      = "check " + vendor.EnvKey + " or the profile's auth-keyfile"
	hintModel    = "choose another model. To list the models of this endpoint, run: agent models"
	hintQuota    = "add credit at the provider, or use another key or endpoint"
	hintContext  = "shrink the context with /compress, or set context-limit to the model's context window"
	hintSize     = "the request is too large for the server or a proxy; shrink it with /compress, or use another endpoint"
	hintImages   = "remove the image, or choose a model with image input"
	hintFirewall = "a firewall blocked the request; rephrase your message, or check base-url and the API key"
	hintPlace    = "the provider does not serve your region; use another endpoint"
	hintCall     = "the model wrote an invalid tool call; try again, or use another model"
	hintContent  = "rephrase your message, or use another model or endpoint"
	hintRequest  = "check the model and the settings. To test them, run: agent doctor"
)

// complaint maps the text of a server's message to the meaning of a problem.
type complaint struct {
	// words matches the message and the code of a problem, in lower case.
	words *lazyregexp.Pattern
	// in reports whether a problem can have this meaning, according to its status.
	in func(Problem) bool
	// means contains the kind, the hint, Final and Costly. An empty hint means the usual hint for the
	// kind.
	means llm.Error
}

// complaints lists the known complaints in the order in which they are tried. They take precedence over
// the status.
var complaints = []complaint{
	{overflowWords, notOfKey, llm.Error{Kind: llm.ContextOverflow, Final: true}},
	{lazyregexp.New(`insufficient_quota|exceeded[ _](your[ _])?current[ _]quota|insufficient[ _](balance|credits?|funds)|credit balance is too low|have any credits|arrearage|account is in good standing`), always, llm.Error{Kind: llm.RateLimit, Hint: hintQuota, Final: true}},
	{lazyregexp.New(`api key not valid|api_key_invalid|(incorrect|invalid) api[ _-]?key`), notOfKey, llm.Error{Kind: llm.Auth, Hint: hintKey, Final: true}},
	{lazyregexp.New(`(country|region),? .{0,30}not supported|not (available|supported) in your (country|region)|user location is not supported`), always, llm.Error{Kind: llm.BadRequest, Hint: hintPlace, Final: true}},
	{lazyregexp.New(`requires --jinja|--jinja flag`), notOfKey, llm.Error{Kind: llm.BadRequest, Hint: "start llama-server with --jinja, which tool calls require", Final: true}},
	{lazyregexp.New(`enable-auto-tool-choice`), notOfKey, llm.Error{Kind: llm.BadRequest, Hint: "start vLLM with --enable-auto-tool-choice and --tool-call-parser", Final: true}},
	{lazyregexp.New(`tool_use_failed|failed to call a function|tool call validation failed`), notOfKey, llm.Error{Kind: llm.Unavailable, Hint: hintCall, Costly: true}},
	{lazyregexp.New("does not support (tool|function)|support tool use|no endpoints found that support tool|tools?`? (calling |calls? |use )?(is|are) not (supported|enabled)|function calling is not (supported|enabled)"), notOfKey, llm.Error{Kind: llm.BadRequest, Hint: "use a model that supports tool calls", Final: true}},
	{lazyregexp.New(`v1/responses`), notOfKey, llm.Error{Kind: llm.BadRequest, Hint: "set api to auto: this API does not support reasoning together with tools for this model", Final: true}},
	{lazyregexp.New(`loading model|model is loading|is currently loading`), notOfKey, llm.Error{Kind: llm.Unavailable, Hint: "the server is still loading the model; try again in a moment"}},
	{lazyregexp.New(`model_not_found|model not (found|exist)|no models? loaded|not a valid model|model .{0,200}(does not exist|not found|is not available|is not supported by any provider)|invalid model|unknown[ _]model|models/\S+ is not found|deploymentnotfound|no endpoints found for`), notOfKey, llm.Error{Kind: llm.ModelNotFound, Hint: hintModel, Final: true}},
	{lazyregexp.New(`content.?(filter|policy|management|moderation|exists risk)|moderation|flagged|inappropriate|prohibited.content|data_inspection_failed|safety.(system|filter|check)|violat\w+ .{0,40}(polic|guideline)|new_sensitive|sensitive (content|words|information)|high risk|敏感|legal reasons`), ofContent, llm.Error{Kind: llm.BadRequest, Hint: hintContent, Final: true}},
	{lazyregexp.New(`image_url|image\(s\)|image[ _-]?(input|content|data|dimensions|format)|(no|any|supports?|process|accepts?|enable|allow|invalid|input|0) images?\b|\bimages? (is|are|not|could|exceeds)|not (a )?multi-?modal|mmproj|(support|have) vision|content\.type|content.{0,20} (must|should) be a (valid )?string|messages?\[\d+\].{0,60}expected a string`), ofImages, llm.Error{Kind: llm.NoImages, Hint: hintImages, Final: true}},

	// The message is about a model, not about a path such as /models.
	{lazyregexp.New(`\bmodel\b`), hasStatus(http.StatusNotFound), llm.Error{Kind: llm.ModelNotFound, Final: true}},

	// Errors in a stream often have no status.
	{lazyregexp.New(`rate[_ ]limit`), inStream, llm.Error{Kind: llm.RateLimit}},
	{lazyregexp.New(`authentication|invalid_api_key`), inStream, llm.Error{Kind: llm.Auth}},
	{lazyregexp.New(`invalid[_ ](?:request|argument|param)|bad[_ ]?request|extra inputs|unknown (?:field|parameter|name)|unrecognized|validation[_ ]error|template[_ ]error`), inStream, llm.Error{Kind: llm.BadRequest}},
}

func always(Problem) bool { return true }

// ofKey reports whether the API key was refused. The text of the message is then unreliable.
func ofKey(p Problem) bool {
	return p.Status == http.StatusUnauthorized || p.Status == http.StatusForbidden
}

func notOfKey(p Problem) bool { return !ofKey(p) }

// inStream reports whether a problem was reported within a stream.
func inStream(p Problem) bool { return p.Status == 0 && !p.NotAnAPI }

func hasStatus(statuses ...int) func(Problem) bool {
	return func(p Problem) bool { return slices.Contains(statuses, p.Status) }
}

// ofContent and ofImages report whether the status of a problem is one with which servers refuse the
// content of a request, or images in it.
var (
	ofContent = hasStatus(0, http.StatusBadRequest, http.StatusForbidden, http.StatusUnprocessableEntity, http.StatusUnavailableForLegalReasons)
	ofImages  = hasStatus(0, http.StatusBadRequest, http.StatusNotFound, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity,
		http.StatusInternalServerError, http.StatusNotImplemented)
)

// AsError returns an error with the kind and the hint for the problem. Final is set if another attempt
// is useless, and Costly if it is costly.
func (p Problem) AsError() llm.Error {
	said := strings.ToLower(p.Message + " " + p.Code)
	m := ofStatus(p)
	if i := slices.IndexFunc(complaints, func(c complaint) bool { return c.in(p) && c.words.MatchString(said) }); i >= 0 {
		m = complaints[i].means
	}
	m.Hint = cmp.Or(m.Hint, Hint(m.Kind))
	return m
}

// statusNoCapacity is Groq's status for a tier without capacity.
const statusNoCapacity = 498

// ofStatus returns the meaning of a problem according to its status alone.
func ofStatus(p Problem) llm.Error {
	switch s := p.Status; {
	case s == 0 && p.NotAnAPI:
		return llm.Error{Kind: llm.NotAnAPI}
	case s == 0:
		return llm.Error{Kind: llm.Unavailable}
	case s == http.StatusForbidden && p.NotAnAPI:
		return llm.Error{Kind: llm.Auth, Hint: hintFirewall, Final: true}
	case ofKey(p), s == http.StatusProxyAuthRequired:
		return llm.Error{Kind: llm.Auth, Final: true}
	case s == http.StatusPaymentRequired:
		return llm.Error{Kind: llm.RateLimit, Hint: hintQuota, Final: true}
	case s < http.StatusBadRequest, s == http.StatusNotFound, s == http.StatusMethodNotAllowed, s == http.StatusNotImplemented:
		return llm.Error{Kind: llm.NotAnAPI, Final: true}
	case s == http.StatusTooManyRequests:
		return llm.Error{Kind: llm.RateLimit}
	case s == http.StatusRequestTimeout, s == http.StatusConflict, s == http.StatusTooEarly, s == statusNoCapacity, s >= http.StatusInternalServerError:
		return llm.Error{Kind: llm.Unavailable}
	case s == http.StatusRequestEntityTooLarge:
		return llm.Error{Kind: llm.BadRequest, Hint: hintSize, Final: true}
	default:
		return llm.Error{Kind: llm.BadRequest, Final: true}
	}
}

// Hint returns the usual hint for a kind of failure.
func Hint(kind llm.ErrorKind) string {
	switch kind {
	case llm.Auth:
		return hintKey
	case llm.ContextOverflow:
		return hintContext
	case llm.BadRequest:
		return hintRequest
	case llm.ModelNotFound:
		return hintModel
	case llm.NotAnAPI:
		return HintBaseURL
	default:
		return llm.HintLater
	}
}

// RedirectTarget returns the address of a redirect without its query, or "".
func (p Problem) RedirectTarget() string {
	if p.Status < http.StatusMultipleChoices || p.Status >= http.StatusBadRequest {
		return ""
	}
	location, _, _ := strings.Cut(p.Header.Get("Location"), "?")
	return Line(location)
}

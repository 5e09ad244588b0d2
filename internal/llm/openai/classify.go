package openai

import (
	"net/http"
	"strconv"
	"strings"

	"agent/internal/llm"
	"agent/internal/llm/vendor"
	"agent/internal/pattern"
)

// Hints, by what a person can do.
const (
	hintKey      = "check " + vendor.EnvKey + " or the profile's auth-keyfile"
	hintNoKey    = "set " + vendor.EnvKey + " or the profile's auth-keyfile: no key was sent"
	hintBaseURL  = "check base-url: it usually ends in /v1, and the rest of the path is added to it"
	hintModel    = "set model to one that the endpoint has; agent doctor lists them"
	hintQuota    = "add credit at the provider, or use another key or endpoint"
	hintContext  = "make the context smaller with /compress, or set context-limit to the model's window"
	hintSize     = "a proxy or the server takes only smaller requests: make it smaller with /compress, or use another endpoint"
	hintServer   = "the server breaks the rules of this API: update it, or use another endpoint or model"
	hintImages   = "send it without the image, or choose a model that sees"
	hintFirewall = "a firewall before the endpoint refuses the request: say it in other words, or check base-url and the key"
	hintPlace    = "the provider does not serve this place: use another endpoint"
	hintCall     = "the model wrote a call that its server could not read; try again, or use another model"
	hintContent  = "say it in other words, or use another model or endpoint"
	hintRequest  = "check model and settings; agent doctor tests them"
)

// refusal is a known complaint of servers that its status does not tell.
type refusal struct {
	// words identify it within message and code, in lower case.
	words *pattern.Pattern
	kind  llm.ErrorKind
	hint  string
	// final means that asking again does not help, whatever the kind.
	final bool
}

// refusals are tried in order, before the status.
var refusals = []refusal{
	{pattern.New(`insufficient_quota|exceeded[ _](your[ _])?current[ _]quota|insufficient[ _](balance|credits?|funds)|credit balance is too low|have any credits|arrearage|account is in good standing`), llm.RateLimit, hintQuota, true},
	{pattern.New(`api key not valid|api_key_invalid|(incorrect|invalid) api[ _-]?key`), llm.Auth, hintKey, true},
	{pattern.New(`(country|region),? .{0,30}not supported|not (available|supported) in your (country|region)|user location is not supported`), llm.BadRequest, hintPlace, true},
	{pattern.New(`requires --jinja|--jinja flag`), llm.BadRequest, "start llama-server with --jinja, which its tool calls need", true},
	{pattern.New(`enable-auto-tool-choice`), llm.BadRequest, "start vLLM with --enable-auto-tool-choice and --tool-call-parser", true},
	{pattern.New(`tool_use_failed|failed to call a function|tool call validation failed`), llm.Unavailable, hintCall, false},
	{pattern.New("does not support (tool|function)|support tool use|no endpoints found that support tool|tools?`? (calling |calls? |use )?(is|are) not (supported|enabled)|function calling is not (supported|enabled)"), llm.BadRequest, "use a model that supports tool calls", true},
	{pattern.New(`v1/responses`), llm.BadRequest, "set api to responses or auto, or reasoning.effort to none: this model takes tools with reasoning only on another API", true},
	{pattern.New(`loading model|model is loading|is currently loading`), llm.Unavailable, "the server is still loading the model; try again in a moment", false},
	{pattern.New(`model_not_found|model not (found|exist)|no models? loaded|not a valid model|model .{0,200}(does not exist|not found|is not available|is not supported by any provider)|invalid model|unknown[ _]model|models/\S+ is not found|deploymentnotfound|no endpoints found for`), llm.ModelNotFound, hintModel, true},
}

// aboutModel tells a missing model from a missing path such as /models.
var aboutModel = pattern.New(`\bmodel\b`)

// problemError turns a problem into the *Error for it.
func (c *Client) problemError(p problem, model string) *llm.Error {
	kind, hint, final := classify(p)
	text := p.message
	switch {
	case text == "" && p.notAnAPI:
		text = "answered with a web page"
	case p.notAnAPI && kind == llm.NotAnAPI:
		text = "answered with something that is not this API: " + text
	}
	if p.status != 0 {
		text = strings.TrimSuffix(statusText(p.status)+": "+text, ": ")
	}
	if p.notAnAPI || p.status == http.StatusProxyAuthRequired || p.code == "" && p.status >= http.StatusInternalServerError {
		text += c.through()
	}
	failure := c.fail(kind, model, text)
	failure.Hint, failure.Status, failure.Final, failure.Costly = hint, p.status, final, hint == hintCall
	if failure.RetryAfter = retryAfter(p.header, c.config.Now()); failure.RetryAfter == 0 {
		failure.RetryAfter = p.wait()
	}
	// Gemini says of a minute's quota what others say of one that is used up; but those
	// do not ask to come again.
	if p.status == http.StatusTooManyRequests && failure.RetryAfter > 0 {
		failure.Final, failure.Hint = false, llm.HintLater
	}
	switch {
	case p.status == http.StatusProxyAuthRequired:
		failure.Hint = c.hintLogin()
	case kind == llm.Auth && c.config.Key == "":
		failure.Hint = hintNoKey
	}
	if c.config.KeyHelp != "" {
		failure.Hint = strings.Replace(failure.Hint, vendor.EnvKey, c.config.KeyHelp, 1)
	}
	if kind == llm.ContextOverflow {
		failure.ContextLimit = max(p.limit, limitIn(p.message))
	}
	if location := redirectTarget(p); location != "" {
		failure.Hint = "it redirects to " + location + "; set base-url accordingly"
	}
	return failure
}

// fail returns an *Error about a model at this client's endpoint.
func (c *Client) fail(kind llm.ErrorKind, model, text string) *llm.Error {
	// What servers say ends in a full stop; a hint follows.
	text = strings.TrimRight(text, ". ")
	return &llm.Error{Kind: kind, Message: llm.About(c.endpoint(), model) + ": " + text, Hint: defaultHint(kind)}
}

// classify decides the kind of a problem, what to do about it, and whether asking
// again is pointless.
func classify(p problem) (kind llm.ErrorKind, hint string, final bool) {
	said := strings.ToLower(p.message + " " + p.code)
	refusedKey := p.status == http.StatusUnauthorized || p.status == http.StatusForbidden
	if !refusedKey && isOverflow(said) {
		return llm.ContextOverflow, hintContext, true
	}
	for _, r := range refusals {
		// What a refused key is told may name all sorts of things, but not these.
		told := !refusedKey || r.hint == hintQuota || r.hint == hintPlace
		if told && r.words.MatchString(said) {
			return r.kind, r.hint, r.final
		}
	}
	if kind, hint, is := ofContent(p, said); is {
		return kind, hint, true
	}
	kind, final = kindOfStatus(p, said)
	hint = defaultHint(kind)
	switch p.status {
	case http.StatusPaymentRequired:
		hint = hintQuota
	case http.StatusForbidden:
		if p.notAnAPI {
			hint = hintFirewall
		}
	case http.StatusRequestEntityTooLarge:
		hint = hintSize
	}
	return kind, hint, final
}

// statusNoCapacity is Groq's for a tier that is full.
const statusNoCapacity = 498

func kindOfStatus(p problem, said string) (kind llm.ErrorKind, final bool) {
	switch s := p.status; {
	case s == 0:
		return kindOfWords(p, said), false
	case s == http.StatusUnauthorized, s == http.StatusForbidden, s == http.StatusProxyAuthRequired:
		return llm.Auth, true
	case s == http.StatusPaymentRequired:
		return llm.RateLimit, true
	case s == http.StatusNotFound && aboutModel.MatchString(said):
		return llm.ModelNotFound, true
	case s < http.StatusBadRequest, s == http.StatusNotFound, s == http.StatusMethodNotAllowed, s == http.StatusNotImplemented:
		return llm.NotAnAPI, true
	case s == http.StatusTooManyRequests:
		return llm.RateLimit, false
	case s == http.StatusRequestTimeout, s == http.StatusConflict, s == http.StatusTooEarly, s == statusNoCapacity, s >= http.StatusInternalServerError:
		return llm.Unavailable, false
	default:
		return llm.BadRequest, true
	}
}

// refusedWords tell an error in a stream that is about the request from one of the
// server.
var refusedWords = pattern.New(`invalid[_ ](?:request|argument|param)|bad[_ ]?request|extra inputs|unknown (?:field|parameter|name)|unrecognized|validation[_ ]error|template[_ ]error`)

// kindOfWords sorts an error in a stream, which often has no status.
func kindOfWords(p problem, said string) llm.ErrorKind {
	switch {
	case p.notAnAPI:
		return llm.NotAnAPI
	case strings.Contains(said, "rate_limit"), strings.Contains(said, "rate limit"):
		return llm.RateLimit
	case strings.Contains(said, "authentication"), strings.Contains(said, "invalid_api_key"):
		return llm.Auth
	case refusedWords.MatchString(said):
		return llm.BadRequest
	default:
		return llm.Unavailable
	}
}

func defaultHint(kind llm.ErrorKind) string {
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
		return hintBaseURL
	default:
		return llm.HintLater
	}
}

func statusText(status int) string {
	if text := http.StatusText(status); text != "" {
		return text + " (" + strconv.Itoa(status) + ")"
	}
	return "status " + strconv.Itoa(status)
}

// redirectTarget returns where a redirect points, without its query.
func redirectTarget(p problem) string {
	if p.status < http.StatusMultipleChoices || p.status >= http.StatusBadRequest {
		return ""
	}
	location, _, _ := strings.Cut(p.header.Get("Location"), "?")
	return oneLine(location)
}

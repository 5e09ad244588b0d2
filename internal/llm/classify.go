package llm

import (
	"net/http"
	"strconv"
	"strings"

	"agent/internal/pattern"
)

// Hints, by what a person can do.
const (
	hintKey      = "check " + EnvKey + " or the profile's auth-keyfile"
	hintNoKey    = "set " + EnvKey + " or the profile's auth-keyfile: no key was sent"
	hintBaseURL  = "check base-url: it usually ends in /v1, and the rest of the path is added to it"
	hintModel    = "set model to one that the endpoint has; agent doctor lists them"
	hintLater    = "try again later, or use another endpoint with --base-url"
	hintQuota    = "add credit at the provider, or use another key or endpoint"
	hintContext  = "make the context smaller with /compress, or set context-limit to the model's window"
	hintSize     = "a proxy or the server takes only smaller requests: make it smaller with /compress, or use another endpoint"
	hintPatience = "try again later, or raise request-timeout or idle-timeout if the model needs longer"
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
	kind  ErrorKind
	hint  string
	// final means that asking again does not help, whatever the kind.
	final bool
}

// refusals are tried in order, before the status.
var refusals = []refusal{
	{pattern.New(`insufficient_quota|exceeded[ _](your[ _])?current[ _]quota|insufficient[ _](balance|credits?|funds)|credit balance is too low|have any credits|arrearage|account is in good standing`), RateLimit, hintQuota, true},
	{pattern.New(`api key not valid|api_key_invalid|(incorrect|invalid) api[ _-]?key`), Auth, hintKey, true},
	{pattern.New(`(country|region),? .{0,30}not supported|not (available|supported) in your (country|region)|user location is not supported`), BadRequest, hintPlace, true},
	{pattern.New(`requires --jinja|--jinja flag`), BadRequest, "start llama-server with --jinja, which its tool calls need", true},
	{pattern.New(`enable-auto-tool-choice`), BadRequest, "start vLLM with --enable-auto-tool-choice and --tool-call-parser", true},
	{pattern.New(`tool_use_failed|failed to call a function|tool call validation failed`), Unavailable, hintCall, false},
	{pattern.New("does not support (tool|function)|support tool use|no endpoints found that support tool|tools?`? (calling |calls? |use )?(is|are) not (supported|enabled)|function calling is not (supported|enabled)"), BadRequest, "use a model that supports tool calls", true},
	{pattern.New(`v1/responses`), BadRequest, "set api to responses or auto, or reasoning.effort to none: this model takes tools with reasoning only on another API", true},
	{pattern.New(`loading model|model is loading|is currently loading`), Unavailable, "the server is still loading the model; try again in a moment", false},
	{pattern.New(`model_not_found|model not (found|exist)|no models? loaded|not a valid model|model .{0,200}(does not exist|not found|is not available|is not supported by any provider)|invalid model|unknown[ _]model|models/\S+ is not found|deploymentnotfound|no endpoints found for`), ModelNotFound, hintModel, true},
}

// aboutModel tells a missing model from a missing path such as /models.
var aboutModel = pattern.New(`\bmodel\b`)

// problemError turns a problem into the *Error for it.
func (c *Client) problemError(p problem, model string) *Error {
	kind, hint, final := classify(p)
	text := p.message
	switch {
	case text == "" && p.notAnAPI:
		text = "answered with a web page"
	case p.notAnAPI && kind == NotAnAPI:
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
		failure.Final, failure.Hint = false, hintLater
	}
	switch {
	case p.status == http.StatusProxyAuthRequired:
		failure.Hint = c.hintLogin()
	case kind == Auth && c.config.Key == "":
		failure.Hint = hintNoKey
	}
	if c.config.KeyHelp != "" {
		failure.Hint = strings.Replace(failure.Hint, EnvKey, c.config.KeyHelp, 1)
	}
	if kind == ContextOverflow {
		failure.ContextLimit = max(p.limit, limitIn(p.message))
	}
	if location := redirectTarget(p); location != "" {
		failure.Hint = "it redirects to " + location + "; set base-url accordingly"
	}
	return failure
}

// fail returns an *Error about a model at this client's endpoint.
func (c *Client) fail(kind ErrorKind, model, text string) *Error {
	// What servers say ends in a full stop; a hint follows.
	text = strings.TrimRight(text, ". ")
	return &Error{Kind: kind, Message: about(c.endpoint(), model) + ": " + text, Hint: defaultHint(kind)}
}

// about names what a message is about: an endpoint and, unless it is empty, a
// model there.
func about(endpoint, model string) string {
	if model == "" {
		return endpoint
	}
	return endpoint + ", model " + model
}

// classify decides the kind of a problem, what to do about it, and whether asking
// again is pointless.
func classify(p problem) (kind ErrorKind, hint string, final bool) {
	said := strings.ToLower(p.message + " " + p.code)
	refusedKey := p.status == http.StatusUnauthorized || p.status == http.StatusForbidden
	if !refusedKey && isOverflow(said) {
		return ContextOverflow, hintContext, true
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

func kindOfStatus(p problem, said string) (kind ErrorKind, final bool) {
	switch s := p.status; {
	case s == 0:
		return kindOfWords(p, said), false
	case s == http.StatusUnauthorized, s == http.StatusForbidden, s == http.StatusProxyAuthRequired:
		return Auth, true
	case s == http.StatusPaymentRequired:
		return RateLimit, true
	case s == http.StatusNotFound && aboutModel.MatchString(said):
		return ModelNotFound, true
	case s < http.StatusBadRequest, s == http.StatusNotFound, s == http.StatusMethodNotAllowed, s == http.StatusNotImplemented:
		return NotAnAPI, true
	case s == http.StatusTooManyRequests:
		return RateLimit, false
	case s == http.StatusRequestTimeout, s == http.StatusConflict, s == http.StatusTooEarly, s == statusNoCapacity, s >= http.StatusInternalServerError:
		return Unavailable, false
	default:
		return BadRequest, true
	}
}

// refusedWords tell an error in a stream that is about the request from one of the
// server.
var refusedWords = pattern.New(`invalid[_ ](?:request|argument|param)|bad[_ ]?request|extra inputs|unknown (?:field|parameter|name)|unrecognized|validation[_ ]error|template[_ ]error`)

// kindOfWords sorts an error in a stream, which often has no status.
func kindOfWords(p problem, said string) ErrorKind {
	switch {
	case p.notAnAPI:
		return NotAnAPI
	case strings.Contains(said, "rate_limit"), strings.Contains(said, "rate limit"):
		return RateLimit
	case strings.Contains(said, "authentication"), strings.Contains(said, "invalid_api_key"):
		return Auth
	case refusedWords.MatchString(said):
		return BadRequest
	default:
		return Unavailable
	}
}

func defaultHint(kind ErrorKind) string {
	switch kind {
	case Auth:
		return hintKey
	case ContextOverflow:
		return hintContext
	case BadRequest:
		return hintRequest
	case ModelNotFound:
		return hintModel
	case NotAnAPI:
		return hintBaseURL
	default:
		return hintLater
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

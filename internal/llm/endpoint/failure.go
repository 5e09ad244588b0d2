package endpoint

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"agent/internal/llm"
	"agent/internal/llm/refusal"
	"agent/internal/llm/vendor"
)

// ProblemError converts a problem that a server reports to an *llm.Error.
func (e *Endpoint) ProblemError(p refusal.Problem, model string) *llm.Error {
	failure := p.AsError()
	text := p.Message
	switch {
	case text == "" && p.NotAnAPI:
		text = "answered with a web page"
	case p.NotAnAPI && failure.Kind == llm.NotAnAPI:
		text = "did not answer in the format of this API: " + text
	}
	if p.Status != 0 {
		text = strings.TrimSuffix(statusText(p.Status)+": "+text, ": ")
	}
	if p.NotAnAPI || p.Status == http.StatusProxyAuthRequired || p.Code == "" && p.Status >= http.StatusInternalServerError {
		text += e.proxyName()
	}
	failure.Where, failure.Message, failure.Status = llm.About(e.Name(), model), sentence(text), p.Status
	failure.RetryAfter = p.RetryDelay(e.config.Now())
	// Other vendors use these words for an exhausted quota. Gemini also uses them for a quota per
	// minute, but then it also asks to wait.
	if p.Status == http.StatusTooManyRequests && failure.RetryAfter > 0 {
		failure.Final, failure.Hint = false, llm.HintLater
	}
	switch {
	case p.Status == http.StatusProxyAuthRequired:
		failure.Hint = e.hintLogin()
	case failure.Kind == llm.Auth && e.config.Key == "":
		failure.Hint = refusal.HintNoKey
	case p.Status == http.StatusNotFound && failure.Hint == refusal.HintBaseURL && vendor.FamilyOf(model).Name == "claude" && !slices.Contains(e.config.Paths, "/messages"):
		failure.Hint = "if the server speaks the Messages API, add --api messages; otherwise " + refusal.HintBaseURL
	}
	if e.config.KeyHelp != "" {
		failure.Hint = strings.Replace(failure.Hint, vendor.EnvKey, e.config.KeyHelp, 1)
	}
	if failure.Kind == llm.ContextOverflow {
		failure.ContextLimit, failure.PromptTokens = p.WindowTokens(), p.PromptTokens()
	}
	if location := p.RedirectTarget(); location != "" {
		failure.Hint = e.hintRedirect(location)
	}
	return &failure
}

// hintRedirect returns the hint for a redirect. Redirects are not followed.
func (e *Endpoint) hintRedirect(location string) string {
	if at, err := url.Parse(e.Name()); err == nil {
		if to, err := at.Parse(location); err == nil {
			location = to.Redacted()
		}
	}
	if strings.HasPrefix(e.config.BaseURL, "https:") && strings.HasPrefix(location, "http:") {
		return "agent sent nothing to " + location + ", because plain HTTP exposes the API key. Check base-url"
	}
	base := location
	for _, path := range append(e.config.Paths, ModelsPath) {
		base = strings.TrimSuffix(base, path)
	}
	return "agent does not follow the redirect to " + location + "; if you trust that address, set base-url to " + base
}

// NewError returns an *Error about a model at the endpoint.
func (e *Endpoint) NewError(kind llm.ErrorKind, model, text string) *llm.Error {
	return &llm.Error{Kind: kind, Where: llm.About(e.Name(), model), Message: sentence(text), Hint: refusal.Hint(kind)}
}

// sentence removes the period at the end of a server's text, because a hint follows it.
func sentence(text string) string { return strings.TrimRight(text, ". ") }

func statusText(status int) string {
	if text := http.StatusText(status); text != "" {
		return text + " (" + strconv.Itoa(status) + ")"
	}
	return "status " + strconv.Itoa(status)
}

package openai

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"agent/internal/llm"
	"agent/internal/llm/refusal"
	"agent/internal/llm/vendor"
)

// problemError returns the *Error for a problem that a server reports.
func (c *Client) problemError(p refusal.Problem, model string) *llm.Error {
	failure := p.Meaning()
	text := p.Message
	switch {
	case text == "" && p.NotAnAPI:
		text = "answered with a web page"
	case p.NotAnAPI && failure.Kind == llm.NotAnAPI:
		text = "answered with something that is not this API: " + text
	}
	if p.Status != 0 {
		text = strings.TrimSuffix(statusText(p.Status)+": "+text, ": ")
	}
	if p.NotAnAPI || p.Status == http.StatusProxyAuthRequired || p.Code == "" && p.Status >= http.StatusInternalServerError {
		text += c.proxyName()
	}
	failure.Where, failure.Message, failure.Status = llm.About(c.endpoint(), model), sentence(text), p.Status
	failure.RetryAfter = p.Wait(c.config.Now())
	// Other vendors use these words for a quota that is used up. Gemini also uses them for the
	// quota of a minute, but then it asks to wait.
	if p.Status == http.StatusTooManyRequests && failure.RetryAfter > 0 {
		failure.Final, failure.Hint = false, llm.HintLater
	}
	switch {
	case p.Status == http.StatusProxyAuthRequired:
		failure.Hint = c.hintLogin()
	case failure.Kind == llm.Auth && c.config.Key == "":
		failure.Hint = refusal.HintNoKey
	}
	if c.config.KeyHelp != "" {
		failure.Hint = strings.Replace(failure.Hint, vendor.EnvKey, c.config.KeyHelp, 1)
	}
	if failure.Kind == llm.ContextOverflow {
		failure.ContextLimit = p.Window()
	}
	if location := p.RedirectTarget(); location != "" {
		failure.Hint = c.hintRedirect(location)
	}
	return &failure
}

// hintRedirect returns the hint for a redirect, because redirects are not followed.
func (c *Client) hintRedirect(location string) string {
	if at, err := url.Parse(c.endpoint()); err == nil {
		if to, err := at.Parse(location); err == nil {
			location = to.Redacted()
		}
	}
	if strings.HasPrefix(c.config.BaseURL, "https:") && strings.HasPrefix(location, "http:") {
		return "it redirects to plain " + location + ", where others could read the key; nothing was sent there: check base-url"
	}
	base := location
	for _, path := range []string{chatCompletions{}.path(), responses{}.path(), modelsPath} {
		base = strings.TrimSuffix(base, path)
	}
	return "it redirects to " + location + ", which got neither key nor request; if you trust it, set base-url to " + base
}

// fail returns an *Error about a model at the endpoint of c.
func (c *Client) fail(kind llm.ErrorKind, model, text string) *llm.Error {
	return &llm.Error{Kind: kind, Where: llm.About(c.endpoint(), model), Message: sentence(text), Hint: refusal.Hint(kind)}
}

// sentence removes the full stop at the end of a server's text, because a hint follows it.
func sentence(text string) string { return strings.TrimRight(text, ". ") }

func statusText(status int) string {
	if text := http.StatusText(status); text != "" {
		return text + " (" + strconv.Itoa(status) + ")"
	}
	return "status " + strconv.Itoa(status)
}

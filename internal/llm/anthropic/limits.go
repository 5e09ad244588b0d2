package anthropic

import (
	"net/http"
	"slices"
	"strconv"
	"time"
)

// Limit is a rate limit of the account, as a reply reports it.
type Limit struct {
	// Name is the name of the limit for a user.
	Name string
	// Most and Left count requests or tokens.
	Most, Left float64
	// Resets is the time at which the limit is full again. It is zero if unknown.
	Resets time.Time
}

// limitNames maps the words in headers to names for a user.
var limitNames = map[string]string{
	"requests": "requests a minute", "tokens": "tokens a minute", "input-tokens": "input tokens a minute", "output-tokens": "output tokens a minute",
}

// tellLimits stores the limits in the headers of a reply. A reply without limits changes nothing.
func (c *Client) tellLimits(header http.Header) {
	var limits []Limit
	for _, word := range []string{"requests", "tokens", "input-tokens", "output-tokens"} {
		prefix := "Anthropic-Ratelimit-" + word
		most, err := strconv.ParseFloat(header.Get(prefix+"-Limit"), 64)
		left, failed := strconv.ParseFloat(header.Get(prefix+"-Remaining"), 64)
		if err != nil || failed != nil || !(most > 0) || !(left >= 0) {
			continue
		}
		resets, _ := time.Parse(time.RFC3339, header.Get(prefix+"-Reset"))
		limits = append(limits, Limit{limitNames[word], most, left, resets})
	}
	if len(limits) == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.limits = limits
}

// Limits returns the rate limits from the latest reply.
func (c *Client) Limits() []Limit {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.limits)
}

package llm

import (
	"net/url"
	"regexp"
	"strings"
)

// Key is a provider's key. It prints as a placeholder wherever it ends up by
// accident; string(key) is the key itself.
type Key string

// String implements fmt.Stringer.
func (k Key) String() string {
	if k == "" {
		return ""
	}
	return redacted
}

// GoString implements fmt.GoStringer.
func (k Key) GoString() string { return k.String() }

// MarshalText keeps the key out of JSON and logs.
func (k Key) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// redacted stands where a key was.
const redacted = "[key]"

// keyLike matches keys by their usual beginnings, also partly masked, as servers
// echo them.
var keyLike = regexp.MustCompile(`\b(?:sk-|gsk_|xai-|nvapi-|hf_|AIza)[A-Za-z0-9_*.\-]{8,}`)

// redactor takes keys out of text from outside.
type redactor struct{ key string }

func newRedactor(key Key) redactor { return redactor{string(key)} }

func (r redactor) text(s string) string {
	if r.key != "" {
		s = strings.ReplaceAll(s, r.key, redacted)
	}
	return keyLike.ReplaceAllString(s, redacted)
}

// endpoint is the base URL as it may be shown: without user, password and query.
func (c *Client) endpoint() string {
	u, err := url.Parse(c.config.BaseURL)
	if err != nil {
		return "the endpoint"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

package llm

import (
	"context"
	"errors"
	"iter"
	"strings"

	"agent/internal/pattern"
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

// redacted is where a key was.
const redacted = "[key]"

// keyLike matches keys by their usual beginnings, also partly masked, as servers
// echo them.
var keyLike = pattern.New(`\b(?:sk-|gsk_|xai-|nvapi-|hf_|AIza)[A-Za-z0-9_*.\-]{8,}`)

// Redact wraps p so that no error it reports shows key, or anything that looks
// like a key. Servers and proxies repeat what they were sent.
func Redact(p Provider, key Key) Provider { return &redacting{p, key} }

type redacting struct {
	Provider
	key Key
}

// Stream implements Provider.
func (r *redacting) Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		for chunk, err := range r.Provider.Stream(ctx, req) {
			if !yield(chunk, RedactError(err, r.key)) {
				return
			}
		}
	}
}

// RedactError returns err without key, or anything that looks like a key, in the
// words of an *Error. Its cause stays for errors.Is; nobody shows that.
func RedactError(err error, key Key) error {
	var failure *Error
	if !errors.As(err, &failure) {
		return err
	}
	clean := *failure
	clean.Message, clean.Hint = redactText(failure.Message, key), redactText(failure.Hint, key)
	return &clean
}

// leastKey is the length from which on a key is taken out of texts. People set "x"
// or "none" for servers that need no key; taking that out makes errors unreadable.
const leastKey = 8

// wholeKey matches keys of their usual length: in text that is not an error message a
// shorter word may well be a name.
var wholeKey = pattern.New(`\b(?:sk-|gsk_|xai-|nvapi-|hf_|AIza|ghp_|github_pat_|AKIA)[A-Za-z0-9_\-]{16,}`)

// HideKeys puts a placeholder in the place of what looks like a key: a summary, which
// represents what is gone and may be written elsewhere, needs none.
func HideKeys(text string) string { return wholeKey.ReplaceAllString(text, redacted) }

func redactText(text string, key Key) string {
	if len(key) >= leastKey {
		text = strings.ReplaceAll(text, string(key), redacted)
	}
	return keyLike.ReplaceAllString(text, redacted)
}

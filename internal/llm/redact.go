package llm

import (
	"context"
	"errors"
	"iter"
	"strings"

	"agent/internal/secret"
)

// Key is a provider's key. It prints as a placeholder, so that it never gets into a text by
// accident; string(key) is the key itself.
type Key string

// String implements fmt.Stringer.
func (k Key) String() string {
	if k == "" {
		return ""
	}
	return secret.Placeholder
}

// GoString implements fmt.GoStringer.
func (k Key) GoString() string { return k.String() }

// MarshalText keeps the key out of JSON and logs.
func (k Key) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// Redact wraps p so that no error shows the key, or a text that looks like a key, because servers
// and proxies repeat parts of requests.
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

// RedactError returns err with the key, and any text that looks like a key, removed from the texts
// of an *Error. Its cause stays the same for errors.Is and is not shown.
func RedactError(err error, key Key) error {
	var failure *Error
	if !errors.As(err, &failure) {
		return err
	}
	clean := *failure
	clean.Where, clean.Message, clean.Hint = redactText(failure.Where, key), redactText(failure.Message, key), redactText(failure.Hint, key)
	return &clean
}

// leastKey is the least length of a key that is removed from texts. For servers that need no key
// people set "x" or "none", and texts without these words would be unreadable.
const leastKey = 8

func redactText(text string, key Key) string {
	if len(key) >= leastKey {
		text = strings.ReplaceAll(text, string(key), secret.Placeholder)
	}
	return secret.HideEchoed(text)
}

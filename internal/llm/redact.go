package llm

import (
	"context"
	"errors"
	"iter"
	"strings"

	"agent/internal/secret"
)

// Key is a provider's key. It prints as a placeholder wherever it ends up by
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
	clean.Where, clean.Message, clean.Hint = redactText(failure.Where, key), redactText(failure.Message, key), redactText(failure.Hint, key)
	return &clean
}

// leastKey is the length from which on a key is taken out of texts. People set "x"
// or "none" for servers that need no key; taking that out makes errors unreadable.
const leastKey = 8

func redactText(text string, key Key) string {
	if len(key) >= leastKey {
		text = strings.ReplaceAll(text, string(key), secret.Placeholder)
	}
	return secret.HideEchoed(text)
}

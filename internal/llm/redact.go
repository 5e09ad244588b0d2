package llm

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"sync"

	"agent/internal/base/secret"
)

// Key is an API key of a provider. It prints as a placeholder, so that it never gets into a text by
// accident. string(key) is the key itself.
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

// MarshalText returns the placeholder, so that JSON and logs do not contain the key.
func (k Key) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// Keys contains the most recently used API keys. The zero Keys is ready to use, and safe for concurrent
// use.
type Keys struct {
	mu  sync.Mutex
	all []Key
}

// Add adds an API key.
func (k *Keys) Add(key Key) {
	const kept = 8 // errors about older keys do not occur any more
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(key) >= leastKey && !slices.Contains(k.all, key) {
		k.all = append(k.all[max(0, len(k.all)-kept):], key)
	}
}

// Hide removes the API keys from a text.
func (k *Keys) Hide(text string) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, key := range k.all {
		text = strings.ReplaceAll(text, string(key), secret.Placeholder)
	}
	return text
}

// redact removes the API keys, and anything that looks like an API key, from a text.
func (k *Keys) redact(text string) string { return secret.RedactEchoedKeys(k.Hide(text)) }

// Redact wraps p so that none of its errors contains one of the API keys, or anything that looks like
// one. Servers and proxies may repeat in an error what they received.
func Redact(p Provider, keys *Keys) Provider { return &redacting{p, keys} }

type redacting struct {
	Provider
	keys *Keys
}

// Stream implements Provider.
func (r *redacting) Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		for chunk, err := range r.Provider.Stream(ctx, req) {
			if !yield(chunk, RedactError(err, r.keys)) {
				return
			}
		}
	}
}

// RedactError returns err with the API keys, and anything that looks like one, removed from the texts
// of an *Error. The cause is unchanged for errors.Is, and is not shown.
func RedactError(err error, keys *Keys) error {
	var failure *Error
	if !errors.As(err, &failure) {
		return err
	}
	clean := *failure
	clean.Where, clean.Message, clean.Hint = keys.redact(failure.Where), keys.redact(failure.Message), keys.redact(failure.Hint)
	return &clean
}

// leastKey is the minimum length of an API key that is removed from texts. For servers that need no
// key, users set "x" or "none". Texts without these words would be unreadable.
const leastKey = 8

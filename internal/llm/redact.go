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

// Keys are the latest keys that were used. The zero Keys is ready, and safe for concurrent use.
type Keys struct {
	mu  sync.Mutex
	all []Key
}

// Add adds a key.
func (k *Keys) Add(key Key) {
	const kept = 8 // an error about an older one does not come any more
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(key) >= leastKey && !slices.Contains(k.all, key) {
		k.all = append(k.all[max(0, len(k.all)-kept):], key)
	}
}

// Hide removes the keys from a text.
func (k *Keys) Hide(text string) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, key := range k.all {
		text = strings.ReplaceAll(text, string(key), secret.Placeholder)
	}
	return text
}

// redact removes the keys, and anything that looks like one, from a text.
func (k *Keys) redact(text string) string { return secret.HideEchoed(k.Hide(text)) }

// Redact wraps p so that none of its errors shows one of the keys, or anything that looks like a
// key: servers and proxies repeat what they were sent.
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

// RedactError returns err with the keys, and anything that looks like a key, removed from the
// texts of an *Error. The cause stays as it is for errors.Is and is not shown.
func RedactError(err error, keys *Keys) error {
	var failure *Error
	if !errors.As(err, &failure) {
		return err
	}
	clean := *failure
	clean.Where, clean.Message, clean.Hint = keys.redact(failure.Where), keys.redact(failure.Message), keys.redact(failure.Hint)
	return &clean
}

// leastKey is the least length of a key that is removed from texts. For servers that need no key
// people set "x" or "none", and texts without these words would be unreadable.
const leastKey = 8

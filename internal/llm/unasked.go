package llm

import "context"

// unaskedKey is the key of the mark that Unasked sets.
type unaskedKey struct{}

// Unasked returns a context for a request that no user waits for, such as a refresh of the cache. For
// such a request, no program is started to get a token, and no lesson is learned from a refusal.
func Unasked(ctx context.Context) context.Context {
	return context.WithValue(ctx, unaskedKey{}, true)
}

// IsUnasked reports whether a context is from Unasked.
func IsUnasked(ctx context.Context) bool { return ctx.Value(unaskedKey{}) != nil }

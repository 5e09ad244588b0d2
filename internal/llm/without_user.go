package llm

import "context"

// withoutUserKey is the key of the mark that WithoutUser sets.
type withoutUserKey struct{}

// WithoutUser returns a context for a request that no user waits for, such as a refresh of the cache. For
// such a request, no program is started to get a token, and no lesson is learned from a refusal.
func WithoutUser(ctx context.Context) context.Context {
	return context.WithValue(ctx, withoutUserKey{}, true)
}

// IsWithoutUser reports whether a context is from WithoutUser.
func IsWithoutUser(ctx context.Context) bool { return ctx.Value(withoutUserKey{}) != nil }

package llm

import (
	"fmt"
	"time"
)

// ErrorKind classifies failures of providers by their remedies.
type ErrorKind int

// The kinds of failure.
const (
	// Unavailable means that the endpoint is unreachable, failed (5xx) or stopped sending. The request
	// is retried.
	Unavailable ErrorKind = iota
	// Auth means that the API key is missing or was refused (401, 403).
	Auth
	// RateLimit means too many requests (429). The request is retried after the time in Retry-After.
	RateLimit
	// ContextOverflow means that the request is larger than the model's context window.
	ContextOverflow
	// BadRequest means that the provider refused the request (400, 422).
	BadRequest
	// NoImages means that the model or the endpoint accepts no images, or not these images.
	NoImages
	// ModelNotFound means that the endpoint does not have the model (404).
	ModelNotFound
	// Truncated means that the stream ended without a finish reason. The request is retried.
	Truncated
	// NotAnAPI means that the answer does not come from this API.
	NotAnAPI
)

// Error is a failure of a provider, for a user.
type Error struct {
	Kind ErrorKind
	// Status is the HTTP status, 0 if there was none.
	Status int
	// Where is the endpoint and the model (see About). It is "" for a failure that concerns neither.
	Where string
	// Message describes the failure.
	Message string
	// Hint is the next step for the user.
	Hint string
	// RetryAfter is the time that the provider asks to wait, or 0.
	RetryAfter time.Duration
	// Attempts is the number of requests that were made.
	Attempts int
	// ContextLimit is the context window in tokens that the provider reports with a ContextOverflow, or
	// 0.
	ContextLimit int
	// PromptTokens is the size of the request that the provider reports with a ContextOverflow, or 0.
	PromptTokens int
	// Err is the cause, or nil.
	Err error

	// Final is set if another attempt cannot help, whatever the Kind.
	Final bool
	// Costly is set if another attempt costs minutes or paid tokens.
	Costly bool
	// Unreachable is set if no connection could be made.
	Unreachable bool
}

// IsRequestError reports whether the provider refused the content of the request. It would refuse the
// same request again.
func (e *Error) IsRequestError() bool {
	switch e.Kind {
	case BadRequest, NoImages, ContextOverflow:
		return true
	}
	return false
}

func (e *Error) Error() string {
	text := PrefixPlace(e.Where, e.Message)
	if e.Attempts > 1 {
		text += fmt.Sprintf(" (%d attempts)", e.Attempts)
	}
	if e.Hint != "" {
		text += "; " + e.Hint
	}
	return text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// HintLater is the hint for a failure that is probably temporary.
const HintLater = "try again later, or use another endpoint with --base-url"

// PrefixPlace adds where as a prefix to a message, unless where is "".
func PrefixPlace(where, message string) string {
	if where == "" {
		return message
	}
	return where + ": " + message
}

// About returns a description of an endpoint and, if model is not "", of a model there.
func About(endpoint, model string) string {
	if model == "" {
		return endpoint
	}
	return endpoint + ", model " + model
}

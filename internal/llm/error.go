package llm

import (
	"fmt"
	"time"
)

// ErrorKind sorts failures of providers by their remedies.
type ErrorKind int

// The kinds of failure.
const (
	// Unavailable means that the endpoint is unreachable, failed (5xx) or went silent. It is
	// retried.
	Unavailable ErrorKind = iota
	// Auth means that the key is missing or was refused (401, 403).
	Auth
	// RateLimit means too many requests (429). It is retried after the time in Retry-After.
	RateLimit
	// ContextOverflow means that the request is larger than the model's window.
	ContextOverflow
	// BadRequest means that the provider refused the request (400, 422).
	BadRequest
	// NoImages means that the model or the endpoint takes no images, or not these.
	NoImages
	// ModelNotFound means that the endpoint does not have the model (404).
	ModelNotFound
	// Truncated means that the stream ended without a finish reason. It is retried.
	Truncated
	// NotAnAPI means that the answer is not one of this API.
	NotAnAPI
)

// Error is a failure of a provider, for a user.
type Error struct {
	Kind ErrorKind
	// Status is the HTTP status, 0 if there was none.
	Status int
	// Where names the endpoint and the model (see About). It is empty for a failure that concerns
	// neither.
	Where string
	// Message describes the failure.
	Message string
	// Hint names the next step for the user.
	Hint string
	// RetryAfter is the time that the provider asks to wait, 0 if it does not ask.
	RetryAfter time.Duration
	// Attempts is the number of requests that were made.
	Attempts int
	// ContextLimit is the window in tokens that the provider names with a ContextOverflow, 0 if it
	// names none.
	ContextLimit int
	// PromptTokens is the size of the request that the provider names with a ContextOverflow, 0 if it
	// names none.
	PromptTokens int
	// Err is the cause, or nil.
	Err error

	// Final is set if another attempt cannot help, whatever the kind.
	Final bool
	// Costly is set if another attempt costs minutes or paid tokens.
	Costly bool
	// Unreachable is set if no connection could be made.
	Unreachable bool
}

// OfRequest reports whether the provider refused the content of the request. It would refuse the
// same request again.
func (e *Error) OfRequest() bool {
	switch e.Kind {
	case BadRequest, NoImages, ContextOverflow:
		return true
	}
	return false
}

func (e *Error) Error() string {
	text := Located(e.Where, e.Message)
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

// HintLater is the hint for a failure that is likely to pass.
const HintLater = "try again later, or use another endpoint with --base-url"

// Located puts where in front of a message, unless where is empty.
func Located(where, message string) string {
	if where == "" {
		return message
	}
	return where + ": " + message
}

// About names an endpoint and, unless it is empty, a model there.
func About(endpoint, model string) string {
	if model == "" {
		return endpoint
	}
	return endpoint + ", model " + model
}

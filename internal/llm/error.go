package llm

import (
	"fmt"
	"time"
)

// ErrorKind sorts failures of providers by the remedy.
type ErrorKind int

// The kinds of failure.
const (
	// Unavailable: unreachable, 5xx, a stream that stalled. Retried.
	Unavailable ErrorKind = iota
	// Auth: the key is missing or refused (401, 403).
	Auth
	// RateLimit: 429. Retried, honouring Retry-After.
	RateLimit
	// ContextOverflow: the request is larger than the model's window.
	ContextOverflow
	// BadRequest: the provider refuses the request (400, 422).
	BadRequest
	// NoImages: the model or the endpoint takes no images, or not these.
	NoImages
	// ModelNotFound: the endpoint does not have the model (404).
	ModelNotFound
	// Truncated: the stream ended without a finish reason. Retried.
	Truncated
	// NotAnAPI: the endpoint answers with something that is not this API.
	NotAnAPI
)

// Error is a provider failure a person can act on.
type Error struct {
	Kind ErrorKind
	// Status is the HTTP status, 0 when there was none.
	Status int
	// Where names the endpoint and the model, see About; it is empty for a failure that
	// concerns none.
	Where string
	// Message describes the failure.
	Message string
	// Hint tells the person what to do.
	Hint string
	// RetryAfter is how long the provider asks to wait, 0 when it does not ask.
	RetryAfter time.Duration
	// Attempts is how many requests were made.
	Attempts int
	// ContextLimit is the window in tokens that the provider names with a
	// ContextOverflow, 0 when it names none.
	ContextLimit int
	// Err is the cause, if any.
	Err error

	// Final is set when asking again cannot help, whatever the kind.
	Final bool
	// Costly is set when another attempt costs minutes or paid tokens.
	Costly bool
	// Unreachable is set when no connection could be made.
	Unreachable bool
}

// OfRequest reports whether the provider refused the content of the request, so that the
// same request would be refused again.
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

// Located returns the message with where in front of it, unless where is empty.
func Located(where, message string) string {
	if where == "" {
		return message
	}
	return where + ": " + message
}

// About returns the name of an endpoint and, unless it is empty, of a model there.
func About(endpoint, model string) string {
	if model == "" {
		return endpoint
	}
	return endpoint + ", model " + model
}

package acp

import "errors"

// ErrNoSession means that there is no record of that id.
var ErrNoSession = errors.New("there is no session of that id")

// SignInError means that no model can be reached until the person does something.
type SignInError struct{ Err error }

func (e *SignInError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *SignInError) Unwrap() error { return e.Err }

// HeldError means that another program has the session open.
type HeldError struct{ Err error }

func (e *HeldError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *HeldError) Unwrap() error { return e.Err }

// openError is why a session cannot be opened, in the protocol's codes.
func openError(err error) *wireError {
	var signIn *SignInError
	var held *HeldError
	switch {
	case errors.As(err, &signIn):
		return failf(codeSignIn, "%v", err)
	case errors.As(err, &held):
		return failf(codeHeld, "%v", err)
	case errors.Is(err, ErrNoSession):
		return failf(codeNotFound, "%v", err)
	}
	return failf(codeParams, "%v", err)
}

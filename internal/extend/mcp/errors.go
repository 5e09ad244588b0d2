package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"agent/internal/base/fsutil"
	"agent/internal/base/humanize"
)

// LoginError is the error for a server that requires a login, if there is none or it has expired.
type LoginError struct{ Server string }

func (e *LoginError) Error() string {
	return fmt.Sprintf("%s needs a login. Run: agent mcp login %s", e.Server, e.Server)
}

// The causes with which a request's context is canceled.
var (
	errStart  = errors.New("start")
	errSilent = errors.New("silent")
	errLong   = errors.New("long")
)

// causeOf returns the reason why a request with a time limit was canceled. The reason is one of the
// causes above, or the error of the caller's context. It returns nil if the request was not
// canceled.
func causeOf(ctx context.Context) error {
	switch cause := context.Cause(ctx); cause {
	case errStart, errSilent, errLong:
		return cause
	default:
		return ctx.Err()
	}
}

// wantsLogin returns a *LoginError if the reason of a failure is a missing login, otherwise nil.
func (c *Client) wantsLogin(err error) error {
	var login *LoginError
	switch {
	case errors.As(err, &login):
		return login
	case c.web.lacksLogin():
		return &LoginError{Server: c.server.Name}
	}
	return nil
}

// explainStart returns an error that explains to the user why the start of a server failed.
func (c *Client) explainStart(err error) error {
	if login := c.wantsLogin(err); login != nil {
		return login
	}
	switch {
	case errors.Is(err, errStart):
		return c.withLast(fmt.Sprintf("%s did not list its tools within %s", c.server.Name, c.server.startTimeout()))
	case err == context.Canceled, err == context.DeadlineExceeded: // the caller canceled the request
		return err
	case refusal(err) == nil && c.hasEnded():
		return c.withLast(fmt.Sprintf("%s exited during startup (%s)", c.server.Name, c.wire.process.EndText()))
	}
	return c.withLast(c.server.Name + " cannot be used: " + plain(err))
}

// explainCall returns an error that explains to the user why a call has no answer, and whether the
// call may have taken effect.
func (c *Client) explainCall(err error, silent, total time.Duration, reached string) error {
	if login := c.wantsLogin(err); login != nil {
		return login
	}
	var say string
	switch {
	case errors.Is(err, sdk.ErrSessionMissing):
		return fmt.Errorf("%s no longer knows this session; the call had no effect. The next call starts a new session", c.server.Name)
	case errors.Is(err, errSilent):
		say = fmt.Sprintf("%s was silent for %s. The call was canceled, but may have taken effect", c.server.Name, silent)
	case errors.Is(err, errLong):
		say = fmt.Sprintf("%s did not answer within %s. The call was canceled, but may have taken effect", c.server.Name, total)
	case err == context.Canceled, err == context.DeadlineExceeded: // the caller canceled the request
		if reached != "" {
			return fmt.Errorf("canceled; the last progress that %s reported: %s: %w", c.server.Name, reached, err)
		}
		return err
	case c.hasEnded():
		say = c.server.Name + " ended during the call, which may have taken effect"
	default:
		say = c.server.Name + " cannot answer: " + plain(err)
		if !fsutil.IsConnectionRefused(err) {
			say += "; the call may have taken effect"
		}
	}
	return c.withLast(say)
}

// withLast returns an error with say and the last line that the server wrote.
func (c *Client) withLast(say string) error {
	if last := c.log.lastLine(); last != "" {
		return fmt.Errorf("%s. Its last output: %s", say, humanize.Line(last, lastWords))
	}
	return errors.New(say)
}

const lastWords = 300

// refusal returns the error with which the server answered a request, or nil for any other error.
// Errors of the SDK itself have the same type but other codes.
func refusal(err error) *jsonrpc.Error {
	const closing, unknown, rejected = -32004, -32003, -32005
	var refused *jsonrpc.Error
	if errors.As(err, &refused) && refused.Code != closing && refused.Code != unknown && refused.Code != rejected {
		return refused
	}
	return nil
}

// plain returns the text of an error without the prefixes of the SDK.
func plain(err error) string {
	if refused := refusal(err); refused != nil {
		return fmt.Sprintf("%s (%d)", humanize.Line(refused.Message, lastWords), refused.Code)
	}
	text := err.Error()
	for _, noise := range []string{"rejected by transport: ", ": rejected by transport"} {
		text = strings.ReplaceAll(text, noise, "")
	}
	for strings.HasPrefix(text, `calling "`) || strings.HasPrefix(text, `sending "`) {
		_, text, _ = strings.Cut(text, `": `)
	}
	return humanize.Line(text, lastWords)
}

package openai

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/url"
	"strings"
	"syscall"

	"agent/internal/llm"
	"agent/internal/llm/refusal"
)

// connectionFailure explains a request that got no answer.
func (c *Client) connectionFailure(err error, model string) *llm.Error {
	failure := c.proxyFailure(err, model)
	if failure == nil {
		failure = c.describeConnection(err, model)
	}
	failure.Err = err
	return failure
}

func (c *Client) describeConnection(err error, model string) *llm.Error {
	var (
		lookup      *net.DNSError
		certificate *tls.CertificateVerificationError
		authority   x509.UnknownAuthorityError
		dial        *net.OpError
	)
	var unreadable *proxyError
	switch said := err.Error(); {
	case errors.As(err, &unreadable):
		return c.never(llm.Unavailable, model, unreadable.Error(), "write it as http://HOST:PORT, or unset it")
	case strings.Contains(said, "server gave HTTP response to HTTPS client"):
		return c.never(llm.NotAnAPI, model, "speaks plain HTTP", "write http:// in base-url")
	case strings.Contains(said, "malformed HTTP response"):
		return c.never(llm.NotAnAPI, model, "does not speak HTTP", "write https:// in base-url, or check its port")
	case errors.As(err, &certificate), errors.As(err, &authority):
		return c.never(llm.Unavailable, model, "its certificate is not trusted: "+refusal.Line(rootCause(err)), "install the certificate authority, or check base-url")
	case errors.As(err, &lookup):
		return c.unreachable(model, "the host "+lookup.Name+" is not known", "check base-url and the network")
	case errors.Is(err, syscall.ECONNREFUSED):
		return c.unreachable(model, "nothing listens there (connection refused)", "start the server, or check base-url")
	case errors.As(err, &dial) && dial.Op == "dial":
		return c.unreachable(model, "cannot be reached: "+refusal.Line(rootCause(err)), "check base-url and the network")
	case errors.Is(err, io.EOF):
		return c.fail(llm.Unavailable, model, "the connection closed without an answer"+c.through())
	default:
		return c.fail(llm.Unavailable, model, "no answer: "+refusal.Line(rootCause(err))+c.through())
	}
}

// never is a failure that stays however often the request is repeated.
func (c *Client) never(kind llm.ErrorKind, model, text, hint string) *llm.Error {
	failure := c.fail(kind, model, text)
	failure.Hint, failure.Final = hint, true
	return failure
}

func (c *Client) unreachable(model, text, hint string) *llm.Error {
	failure := c.fail(llm.Unavailable, model, text)
	failure.Hint, failure.Unreachable = hint, true
	return failure
}

// rootCause leaves out the method and address that net/http puts in front.
func rootCause(err error) string {
	var request *url.Error
	if errors.As(err, &request) {
		err = request.Err
	}
	return err.Error()
}

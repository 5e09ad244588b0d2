package endpoint

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/url"
	"strings"

	"agent/internal/base/fsutil"
	"agent/internal/llm"
	"agent/internal/llm/refusal"
)

// connectionFailure returns the *llm.Error for a request that received no answer.
func (e *Endpoint) connectionFailure(err error, model string) *llm.Error {
	if unsigned, is := errors.AsType[*llm.Error](err); is { // there was no API key, so nothing was sent
		return unsigned
	}
	failure, atProxy := e.proxyFailure(err)
	if !atProxy {
		failure = e.describeConnection(err)
	}
	failure.Err, failure.Where, failure.Message = err, llm.About(e.Name(), model), sentence(failure.Message)
	failure.Hint = cmp.Or(failure.Hint, refusal.Hint(failure.Kind))
	return &failure
}

// describeConnection returns message and hint for a request that failed before the server answered. It
// also returns the kind of the error if the kind is not Unavailable.
func (e *Endpoint) describeConnection(err error) llm.Error {
	var (
		lookup      *net.DNSError
		certificate *tls.CertificateVerificationError
		authority   x509.UnknownAuthorityError
		dial        *net.OpError
		unreadable  *proxyError
	)
	const network = "check base-url and the network"
	switch said := err.Error(); {
	case errors.As(err, &unreadable):
		return llm.Error{Message: unreadable.Error(), Hint: "write it as http://HOST:PORT, or unset it", Final: true}
	case strings.Contains(said, "server gave HTTP response to HTTPS client"):
		return llm.Error{Kind: llm.NotAnAPI, Message: "speaks plain HTTP", Hint: "write http:// in base-url", Final: true}
	case strings.Contains(said, "malformed HTTP response"):
		return llm.Error{Kind: llm.NotAnAPI, Message: "does not speak HTTP", Hint: "write https:// in base-url, or check its port", Final: true}
	case errors.As(err, &certificate), errors.As(err, &authority):
		return llm.Error{Message: "its certificate is not trusted: " + rootCause(err), Hint: "install the certificate authority, or check base-url", Final: true}
	case errors.As(err, &lookup):
		return llm.Error{Message: "the host " + lookup.Name + " is unknown", Hint: network, Unreachable: true}
	case fsutil.IsConnectionRefused(err):
		return llm.Error{Message: "connection refused: no server is listening", Hint: "start the server, or check base-url", Unreachable: true}
	case errors.As(err, &dial) && dial.Op == "dial":
		return llm.Error{Message: "can't connect: " + rootCause(err), Hint: network, Unreachable: true}
	case errors.Is(err, io.EOF):
		return llm.Error{Message: "the server closed the connection without an answer" + e.proxyName()}
	default:
		return llm.Error{Message: "no answer: " + rootCause(err) + e.proxyName()}
	}
}

// rootCause returns the text of an error on one line, without the prefix of net/http, which is the
// method and the address.
func rootCause(err error) string {
	var request *url.Error
	if errors.As(err, &request) {
		err = request.Err
	}
	return refusal.Line(err.Error())
}

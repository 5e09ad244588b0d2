package fetch

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"net/url"
	"testing"
)

// A failed request is explained in plain words.
func TestReason(t *testing.T) {
	t.Parallel()
	page := &url.URL{Scheme: "https", Host: "nosuch.example"}
	for _, tt := range []struct {
		err  error
		want string
	}{
		{&url.Error{Op: "Get", URL: "x", Err: &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "nosuch.example", Server: "10.0.0.1:53", IsNotFound: true}}}, "https://nosuch.example: unknown host nosuch.example"},
		{&url.Error{Op: "Get", URL: "x", Err: &net.DNSError{Err: "timed out", Name: "nosuch.example"}}, "https://nosuch.example: lookup nosuch.example: timed out"},
		{&url.Error{Op: "Get", URL: "x", Err: &net.OpError{Op: "dial", Net: "tcp", Err: &privateError{netip.MustParseAddr("10.0.0.1")}}}, "https://nosuch.example: can't fetch from 10.0.0.1, an address of this machine or its network. To allow it, run: /set web-fetch.private true"},
		{&url.Error{Op: "Get", URL: "x", Err: errors.New("it broke off")}, "https://nosuch.example: it broke off"},
	} {
		if got := reason(t.Context(), page, tt.err).Error(); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("no whole answer"))
	if got := reason(ctx, page, context.Canceled).Error(); got != "https://nosuch.example: no whole answer" {
		t.Error(got)
	}
}

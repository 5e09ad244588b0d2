package fetch

import (
	"errors"
	"net"
	"net/url"
	"testing"
)

// What kept a page from coming is said in words.
func TestReason(t *testing.T) {
	t.Parallel()
	page := &url.URL{Scheme: "https", Host: "nosuch.example"}
	for _, tt := range []struct {
		err  error
		want string
	}{
		{&url.Error{Op: "Get", URL: "x", Err: &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "nosuch.example", Server: "10.0.0.1:53", IsNotFound: true}}}, "https://nosuch.example: the host nosuch.example is not known"},
		{&url.Error{Op: "Get", URL: "x", Err: errors.New("it broke off")}, "https://nosuch.example: it broke off"},
	} {
		if got := reason(t.Context(), page, tt.err).Error(); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

// Package fetch fetches pages from the public web. It limits their size and the time. It connects
// to this machine and its own networks only if that is allowed.
package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"

	"agent/internal/base/humanize"
	"agent/internal/reachlog"
)

// Limits of a fetch.
const (
	// MaxBytes is the largest number of bytes that is read of a response.
	MaxBytes     = 5 << 20
	timeout      = 30 * time.Second
	maxRedirects = 5
)

// Page is a web page.
type Page struct {
	// URL is the address of the page after redirects.
	URL string
	// Type is the media type from the server, without parameters.
	Type string
	Body []byte
}

// Check parses an address. It refuses schemes other than http and https, and addresses with a
// user name or password.
func Check(address string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(address))
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return nil, fmt.Errorf("invalid address %q: it must start with http:// or https://", humanize.Line(address, 200))
	case u.User != nil:
		return nil, errors.New("the address must not contain a user name or password")
	}
	return u, nil
}

// Get fetches an address. If private is set, the address may belong to this machine or its
// networks. Get calls allowed with the host of each address, and checks the IP address to which it
// connects, both also after redirects. So a name that later resolves to another address cannot
// bypass the check. It ignores the proxies in the environment, because a proxy would make the
// connection itself.
func Get(ctx context.Context, u *url.URL, private bool, allowed func(host string) error) (Page, error) {
	if err := allowed(u.Hostname()); err != nil {
		return Page{}, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, fmt.Errorf("no complete answer within %s", timeout))
	defer cancel()
	client := reachlog.NewClient(transport(private), func(next *http.Request, before []*http.Request) error {
		if len(before) > maxRedirects {
			return fmt.Errorf("the server redirected more than %d times", maxRedirects)
		}
		if _, err := Check(next.URL.String()); err != nil {
			return err
		}
		return allowed(next.URL.Hostname())
	})
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return Page{}, err
	}
	request.Header.Set("User-Agent", "agent")
	request.Header.Set("Accept", "text/markdown, text/html;q=0.9, text/*;q=0.8, */*;q=0.5")
	response, err := client.Do(request)
	if err != nil {
		return Page{}, reason(ctx, u, err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return Page{}, fmt.Errorf("%s answered %s", response.Request.URL.Redacted(), response.Status)
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, MaxBytes+1))
	if err != nil {
		return Page{}, reason(ctx, u, err)
	}
	if len(body) > MaxBytes {
		return Page{}, fmt.Errorf("%s is larger than %s", response.Request.URL.Redacted(), humanize.Bytes(MaxBytes))
	}
	mediaType, _, _ := strings.Cut(response.Header.Get("Content-Type"), ";")
	return Page{response.Request.URL.String(), strings.ToLower(strings.TrimSpace(mediaType)), body}, nil
}

func transport(private bool) *http.Transport {
	dialer := &net.Dialer{Timeout: timeout, Control: func(_, address string, _ syscall.RawConn) error {
		if private {
			return nil
		}
		return public(address, ownNetworks())
	}}
	return &http.Transport{DialContext: dialer.DialContext, ForceAttemptHTTP2: true, DisableKeepAlives: true}
}

// Response is the response of a service with any status code.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// Do sends a request to a service like Get, but follows no redirect, because the request may
// contain an API key. It reads at most most bytes of the response. A longer response is an error.
func Do(ctx context.Context, request *http.Request, private bool, most int64) (Response, error) {
	client := reachlog.NewClient(transport(private), reachlog.NoRedirect)
	place := &url.URL{Scheme: request.URL.Scheme, Host: request.URL.Host}
	response, err := client.Do(request.WithContext(ctx))
	if err != nil {
		return Response{}, reason(ctx, place, err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, most+1))
	switch {
	case err != nil:
		return Response{}, reason(ctx, place, err)
	case int64(len(body)) > most:
		return Response{}, fmt.Errorf("%s answered with more than %s", place, humanize.Bytes(most))
	}
	return Response{response.StatusCode, response.Header, body}, nil
}

// reason returns the cause of a failed fetch without the library's wrapping.
func reason(ctx context.Context, u *url.URL, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	var refused *privateError
	if errors.As(err, &refused) {
		err = refused
	}
	var inner *url.Error
	if errors.As(err, &inner) {
		err = inner.Err
	}
	var name *net.DNSError
	if errors.As(err, &name) && name.IsNotFound {
		err = fmt.Errorf("unknown host %s", name.Name)
	}
	return fmt.Errorf("%s: %w", u.Redacted(), err)
}

// privateError is the error for an address that is not on the public web.
type privateError struct{ address netip.Addr }

func (e *privateError) Error() string {
	return fmt.Sprintf("can't fetch from %s, an address of this machine or its network. To allow it, run: /set web-fetch.private true", e.address)
}

// special lists networks that are not on the public web and for which netip has no method. These
// are this network, carrier-grade NAT, protocol assignments, documentation, benchmarks, relays,
// reserved networks, and IPv6 networks that contain IPv4 addresses.
var special = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("198.18.0.0/15"), netip.MustParsePrefix("198.51.100.0/24"),
	netip.MustParsePrefix("203.0.113.0/24"), netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("168.63.129.16/32"), // the host of a virtual machine in Azure
	netip.MustParsePrefix("192.88.99.0/24"), netip.MustParsePrefix("100::/64"), netip.MustParsePrefix("3fff::/20"), netip.MustParsePrefix("5f00::/16"),
	netip.MustParsePrefix("::/96"), netip.MustParsePrefix("64:ff9b::/96"), netip.MustParsePrefix("64:ff9b:1::/48"),
	netip.MustParsePrefix("2001::/32"), netip.MustParsePrefix("2001:db8::/32"), netip.MustParsePrefix("2002::/16"), netip.MustParsePrefix("fec0::/10"),
}

// ownNetworks returns the networks of this machine. Their IPv6 addresses are often public.
func ownNetworks() []netip.Prefix {
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		return nil
	}
	var own []netip.Prefix
	for _, address := range addresses {
		prefix, err := netip.ParsePrefix(address.String())
		if err != nil {
			continue
		}
		own = append(own, network(prefix))
	}
	return own
}

// network returns the network of an address of this machine. If the network is so large that it
// must be a tunnel to everywhere, network returns only the address.
func network(address netip.Prefix) netip.Prefix {
	all := address.Addr().BitLen()
	if address.Bits() < all/4 {
		return netip.PrefixFrom(address.Addr(), all)
	}
	return address.Masked()
}

// public returns a *privateError if an address to connect to is not on the public web or is in one
// of the networks own.
func public(address string, own []netip.Prefix) error {
	at, _ := netip.ParseAddrPort(address) // an invalid address is not public
	ip := at.Addr().Unmap().WithZone("")
	within := func(prefix netip.Prefix) bool { return prefix.Contains(ip) }
	// IsGlobalUnicast excludes loopback, link-local and multicast addresses.
	if !ip.IsGlobalUnicast() || ip.IsPrivate() || slices.ContainsFunc(special, within) || slices.ContainsFunc(own, within) {
		return &privateError{ip}
	}
	return nil
}

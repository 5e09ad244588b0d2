package fetch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
)

func TestPublic(t *testing.T) {
	t.Parallel()
	own := []netip.Prefix{netip.MustParsePrefix("2a01:4f8:1:2::/64"), netip.MustParsePrefix("5.6.7.8/32")}
	for address, want := range map[string]bool{
		"93.184.216.34:443": true, "[2606:2800:220:1::1]:443": true,
		"127.0.0.1:80": false, "10.1.2.3:80": false, "172.16.0.1:80": false, "192.168.1.1:80": false, "169.254.169.254:80": false, "168.63.129.16:80": false,
		"0.0.0.0:80": false, "100.64.0.1:80": false, "224.0.0.1:80": false, "255.255.255.255:80": false, "198.18.0.1:80": false,
		"[::1]:80": false, "[::]:80": false, "[fe80::1%eth0]:80": false, "[fc00::1]:80": false, "[ff02::1]:80": false,
		"[::ffff:127.0.0.1]:80": false, "[::ffff:10.0.0.1]:80": false, "[64:ff9b::7f00:1]:80": false, "[2002:7f00:1::]:80": false, "[::127.0.0.1]:80": false,
		"192.88.99.1:80": false, "[100::1]:80": false, "[3fff::1]:80": false, "[5f00::1]:80": false,
		"[2a01:4f8:1:2::5]:80": false, "[2a01:4f8:1:3::5]:80": true, "5.6.7.8:80": false, "5.6.7.9:80": true, // addresses near this machine's own, and others
		"no address": false,
	} {
		if got := public(address, own) == nil; got != want {
			t.Errorf("%s is public: %t", address, got)
		}
	}
}

func anyHost(string) error { return nil }

func get(t *testing.T, address string, private bool) (Page, error) {
	t.Helper()
	u, err := Check(address)
	if err != nil {
		return Page{}, err
	}
	return Get(t.Context(), u, private, anyHost)
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"file:///etc/passwd", "ftp://a/b", "", "http://", "https://u:p@host/", "javascript:1", "://"} {
		if _, err := Check(address); err == nil {
			t.Errorf("%q is accepted", address)
		}
	}
	if u, err := Check("https://a/b"); err != nil || u.Host != "a" {
		t.Errorf("%v, %v", u, err)
	}
}

// A connection to a private address is refused when it is dialed, whether the address comes from a
// number, a name or a redirect.
func TestPrivateIsRefused(t *testing.T) {
	t.Parallel()
	reached := false
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	defer server.Close()
	u, _ := url.Parse(server.URL)
	for _, address := range []string{server.URL, "http://localhost:" + u.Port(), "http://2130706433:" + u.Port(), "http://[::ffff:127.0.0.1]:" + u.Port()} {
		if _, err := get(t, address, false); err == nil {
			t.Errorf("%s is fetched", address)
		}
	}
	if _, err := get(t, server.URL, false); err == nil || !strings.Contains(err.Error(), "/set web-fetch.private true") {
		t.Errorf("%v", err)
	}
	if reached {
		t.Error("a request went out")
	}
}

func TestBounds(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case "/away":
			http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
		case "/once":
			http.Redirect(w, r, "/page", http.StatusFound)
		case "/5", "/4", "/3", "/2", "/1":
			http.Redirect(w, r, string(r.URL.Path[:1])+string(r.URL.Path[1]-1), http.StatusFound)
		case "/0":
			fmt.Fprint(w, r.Header.Get("User-Agent"), " ", r.Header.Get("Accept"))
		case "/whole":
			fmt.Fprint(w, strings.Repeat("x", MaxBytes))
		case "/broken":
			w.Header().Set("Content-Length", "10")
			fmt.Fprint(w, "half")
		case "/large":
			fmt.Fprint(w, strings.Repeat("x", MaxBytes+1))
		case "/page":
			w.Header().Set("Content-Type", "Text/Plain; charset=utf-8")
			fmt.Fprint(w, "hello")
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	for path, says := range map[string]string{"/loop": "redirected more than 5 times", "/away": "must start with http", "/large": "is larger than", "/broken": "unexpected EOF", "/gone": "404"} {
		if _, err := get(t, server.URL+path, true); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", path, err)
		}
	}
	page, err := get(t, server.URL+"/once", true)
	if err != nil || string(page.Body) != "hello" || page.Type != "text/plain" || page.URL != server.URL+"/page" {
		t.Errorf("%+v, %v", page, err)
	}
	if page, err := get(t, server.URL+"/whole", true); err != nil || len(page.Body) != MaxBytes {
		t.Errorf("%d bytes, %v", len(page.Body), err)
	}
	if page, err := get(t, " "+server.URL+"/5", true); err != nil || !strings.HasPrefix(string(page.Body), "agent text/markdown") {
		t.Errorf("after five redirects: %s, %v", page.Body, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	u, _ := Check(server.URL)
	if _, err := Get(ctx, u, true, anyHost); err == nil {
		t.Error("an interrupted fetch answers")
	}
	asked := 0
	first := func(string) error {
		if asked++; asked > 1 {
			return errors.New("not there")
		}
		return nil
	}
	if _, err := Get(t.Context(), u.JoinPath("5"), true, first); err == nil || !strings.Contains(err.Error(), "not there") || asked != 2 {
		t.Errorf("a redirect to a host that is left out: %v", err)
	}
}

// A network with a very short prefix does not count as a network of this machine.
func TestNetworks(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{"10.1.2.3/8": "10.0.0.0/8", "10.1.2.3/7": "10.1.2.3/32", "2a01:4f8:1::5/32": "2a01:4f8::/32", "2a01:4f8:1::5/31": "2a01:4f8:1::5/128"} {
		if got := network(netip.MustParsePrefix(address)).String(); got != want {
			t.Errorf("%s is on %s, want %s", address, got, want)
		}
	}
}

// The networks of this machine contain its own addresses.
func TestOwnNetworks(t *testing.T) {
	t.Parallel()
	own := ownNetworks()
	addresses, err := net.InterfaceAddrs()
	if err != nil || len(addresses) == 0 {
		t.Skip("there is no network", err)
	}
	for _, address := range addresses {
		ip := netip.MustParsePrefix(address.String()).Addr()
		if public(netip.AddrPortFrom(ip, 80).String(), own) == nil {
			t.Errorf("%s of this machine counts as public", ip)
		}
	}
}

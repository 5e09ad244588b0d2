package reachlog

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// A request reports each host that it reached, also after redirects, and no other host.
func TestReached(t *testing.T) {
	t.Parallel()
	var watched, noted HostList
	last := httptest.NewServer(http.NotFoundHandler())
	defer last.Close()
	first := httptest.NewServer(http.RedirectHandler(last.URL, http.StatusFound))
	defer first.Close()
	gone := httptest.NewServer(nil)
	gone.Close()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	get := func(client *http.Client, request *http.Request, err error) {
		if err != nil {
			t.Fatal(err)
		}
		if response, err := client.Do(request); err == nil {
			_ = response.Body.Close()
		}
	}
	want := []string{strings.TrimPrefix(first.URL, "http://"), strings.TrimPrefix(last.URL, "http://")}
	request, err := http.NewRequestWithContext(Watch(t.Context(), watched.Add), http.MethodGet, first.URL, nil)
	get(&http.Client{Transport: transport}, request, err)
	if reached := watched.All(); !slices.Equal(reached, want) {
		t.Errorf("reached %q, want %q", reached, want)
	}
	client := &http.Client{Transport: NewTransport(transport, noted.Add)}
	request, err = http.NewRequestWithContext(t.Context(), http.MethodGet, gone.URL, nil)
	get(client, request, err)
	request, err = http.NewRequestWithContext(t.Context(), http.MethodGet, first.URL, nil)
	get(client, request, err)
	if reached := noted.All(); !slices.Equal(reached, want) {
		t.Errorf("the transport reached %q, want %q", reached, want)
	}
	client.CloseIdleConnections()
}

package websearch

import (
	"net/url"
	"strings"
	"testing"

	"agent/internal/fetch"

	"pgregory.net/rapid"
)

// TestOnlySelectedHostsReceiveRequests draws settings, keys and queries. Requests are only sent to the
// service that the user has selected, at its own host or at the configured address, with its own
// key. Without a service, an address or a key, no request is sent.
func TestOnlySelectedHostsReceiveRequests(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(draw *rapid.T) {
		set := Settings{
			Way:       rapid.SampledFrom(SettingValues()).Draw(draw, "way"),
			URL:       rapid.SampledFrom([]string{"", "http://127.0.0.1:8888", "https://searx.example/", "https://cse.google.com/cse?cx=1", "https://evil.example/cse?cx=1"}).Draw(draw, "url"),
			Command:   rapid.SampledFrom([]string{"", "search"}).Draw(draw, "command"),
			MaxTokens: 1500, MaxPerTurn: 20,
		}
		status := rapid.SampledFrom([]int{200, 302, 401, 429, 500}).Draw(draw, "status")
		s := newScripted(t, set, func(int) (fetch.Response, error) {
			return fetch.Response{Status: status, Header: map[string][]string{"Location": {"https://evil.example/"}, "Retry-After": {"0"}}, Body: reply(set.Way)}, nil
		})
		for home := range s.keys {
			if rapid.Bool().Draw(draw, home) {
				s.keys[home] = "key-of-" + home
			} else {
				delete(s.keys, home)
			}
		}
		q, _, err := NewQuery(rapid.SampledFrom([]string{"a", "site:evil.example x", "http://evil.example/ &cx=2#"}).Draw(draw, "query"), 0, nil, "")
		if err != nil {
			draw.Fatal(err)
		}
		named := s.Service()
		service, _ := ServiceByName(named)
		home := service.Home
		if named == SearXNG {
			home = strings.TrimSuffix(set.URL, "/")
			if u, err := url.Parse(home); err == nil {
				home = u.Scheme + "://" + u.Host
			}
		}
		_, _ = s.Search(t.Context(), q)
		for _, one := range s.asked {
			switch {
			case named == Command && one.host == "" && set.Command != "":
			case named == "" || one.host != home || service.Home != "" && (s.keys[home] == "" || !strings.HasSuffix(one.key, s.keys[home])):
				draw.Fatalf("%+v asks %+v", set, one)
			}
		}
		if problem := s.CheckSettings(); problem != nil && len(s.asked) > 0 {
			draw.Fatalf("%+v asks although %v", set, problem)
		}
	})
}

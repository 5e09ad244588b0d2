package websearch

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Service is a kind of search service.
type Service struct {
	// Name is the name of the service in settings. Home is the address of its API, "" if the user
	// sets the address.
	Name, Home string
	// Bills is set if searches cost money.
	Bills bool
	// header is the request header for the API key. prefix is the text before the key in the
	// header.
	header, prefix string
	// request returns the path with the query, and the body of a search. A nil body means GET.
	request func(q Query, engine string) (path string, body any)
	// results is the path of the results in the JSON of a reply.
	results members
}

// SearXNG and Google need other settings than an API key.
const (
	SearXNG = "searxng"
	Google  = "google"
)

var services = []Service{
	{
		Name: SearXNG,
		request: func(q Query, _ string) (string, any) {
			return "/search?" + values("q", q.operators(), "format", "json", "time_range", q.Recent), nil
		},
		results: members{"results", "url", "title", "content", "publishedDate"},
	},
	{
		Name: "brave", Home: "https://api.search.brave.com", Bills: true, header: "X-Subscription-Token",
		request: func(q Query, _ string) (string, any) {
			freshness := map[string]string{"day": "pd", "week": "pw", "month": "pm", "year": "py"}[q.Recent]
			return "/res/v1/web/search?" + values("q", q.operators(), "count", strconv.Itoa(q.Count), "freshness", freshness, "text_decorations", "false"), nil
		},
		results: members{"web.results", "url", "title", "description", "page_age"},
	},
	{
		Name: "exa", Home: "https://api.exa.ai", Bills: true, header: "X-Api-Key",
		request: func(q Query, _ string) (string, any) {
			return "/search", given{
				"query": q.Text, "numResults": q.Count, "includeDomains": q.OnlyHosts, "excludeDomains": q.WithoutHosts,
				"startPublishedDate": beginOf(q.Recent), "contents": given{"text": given{"maxCharacters": maxExcerpt}},
			}
		},
		results: members{"results", "url", "title", "text", "publishedDate"},
	},
	{
		Name: "tavily", Home: "https://api.tavily.com", Bills: true, header: "Authorization", prefix: "Bearer ",
		request: func(q Query, _ string) (string, any) {
			return "/search", given{"query": q.Text, "max_results": q.Count, "include_domains": q.OnlyHosts, "exclude_domains": q.WithoutHosts, "time_range": q.Recent}
		},
		results: members{"results", "url", "title", "content", "published_date"},
	},
	{
		Name: "kagi", Home: "https://kagi.com", Bills: true, header: "Authorization", prefix: "Bot ",
		request: func(q Query, _ string) (string, any) {
			return "/api/v0/search?" + values("q", q.operators(), "limit", strconv.Itoa(q.Count)), nil
		},
		results: members{"data", "url", "title", "snippet", "published"},
	},
	{
		Name: Google, Home: "https://www.googleapis.com", Bills: true, header: "X-Goog-Api-Key",
		request: func(q Query, engine string) (string, any) {
			const most = 10
			recent := ""
			if q.Recent != "" {
				recent = q.Recent[:1] + "1"
			}
			return "/customsearch/v1?" + values("q", q.operators(), "cx", engine, "num", strconv.Itoa(min(q.Count, most)), "dateRestrict", recent), nil
		},
		results: members{"items", "link", "title", "snippet", ""},
	},
}

// Services returns all services. The first ones need no API key.
func Services() []Service { return slices.Clone(services) }

// ServiceByName returns the service with the name.
func ServiceByName(name string) (Service, bool) {
	i := slices.IndexFunc(services, func(s Service) bool { return s.Name == name })
	if i < 0 {
		return Service{}, false
	}
	return services[i], true
}

// given contains members of a JSON object. Empty members are omitted.
type given map[string]any

// MarshalJSON implements json.Marshaler.
func (g given) MarshalJSON() ([]byte, error) {
	members := map[string]any{}
	for name, value := range g {
		if text, is := value.(string); is && text == "" {
			continue
		}
		if list, is := value.([]string); is && len(list) == 0 {
			continue
		}
		members[name] = value
	}
	return json.Marshal(members)
}

// values returns a URL query from names and values. Empty values are omitted.
func values(pairs ...string) string {
	v := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			v.Set(pairs[i], pairs[i+1])
		}
	}
	return v.Encode()
}

// beginOf returns the start of a time span that ends now, in the format of Exa.
func beginOf(recent string) string {
	days := map[string]int{"day": 1, "week": 7, "month": 31, "year": 366}[recent]
	if days == 0 {
		return ""
	}
	return time.Now().UTC().AddDate(0, 0, -days).Format(time.RFC3339)
}

var errNoResults = errors.New("the reply has no list of results")

// members contains the names of the parts of a reply: the path of the list of results, and the
// members of each result.
type members struct{ list, address, title, snippet, date string }

// read returns the results of a reply. It omits a result without an address, and treats a member
// that is not a text as empty.
func (m members) read(reply []byte) ([]Result, error) {
	var root map[string]json.RawMessage
	if err := json.Unmarshal(reply, &root); err != nil || root == nil {
		return nil, errors.New("the reply is not a JSON object")
	}
	above, list, nested := strings.Cut(m.list, ".")
	if !nested {
		list = above
	} else if raw := root[above]; raw == nil {
		return nil, nil
	} else if root = nil; json.Unmarshal(raw, &root) != nil {
		return nil, errNoResults
	}
	raw, there := root[list]
	if !there { // services omit an empty list
		return nil, nil
	}
	var items []map[string]any
	if json.Unmarshal(raw, &items) != nil {
		return nil, errNoResults
	}
	var all []Result
	for _, item := range items {
		text := func(name string) string { s, _ := item[name].(string); return s }
		if text(m.address) != "" {
			all = append(all, Result{URL: text(m.address), Title: text(m.title), Snippet: text(m.snippet), Date: text(m.date)})
		}
	}
	return all, nil
}

func (s Service) newRequest(base string, key string, q Query, engine string) (*http.Request, error) {
	path, body := s.request(q, engine)
	method, text := http.MethodGet, []byte(nil)
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			return nil, err
		}
		method = http.MethodPost
	}
	request, err := http.NewRequest(method, strings.TrimRight(base, "/")+path, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", "agent")
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if s.header != "" && key != "" {
		request.Header.Set(s.header, s.prefix+key)
	}
	return request, nil
}

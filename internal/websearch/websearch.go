// Package websearch searches the web with a service that the user chose. This is a SearXNG, a
// service with the user's API key, or the user's own command. No query is sent to a host that the
// user has not named. No query with a secret is sent.
//
// A Searcher belongs to a conversation. It uses the present settings, stores recent answers, and
// limits the searches of a turn.
package websearch

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"agent/internal/base/humanize"
	"agent/internal/base/lazyregexp"
)

// Limits of a query.
const (
	maxQuery     = 400
	maxCount     = 20
	defaultCount = 8
	maxDomains   = 20
)

// A Query contains the words to search for. Plan checks and completes it.
type Query struct {
	Text  string
	Count int
	// OnlyHosts lists the hosts to which results are confined. WithoutHosts lists the hosts to
	// omit.
	OnlyHosts, WithoutHosts []string
	// Recent is the largest age of results: day, week, month or year, or "" for any age.
	Recent string
}

// A Result is one page that was found. Its texts are untrusted.
type Result struct {
	URL     string `json:"url"`
	Title   string `json:"title"`
	Snippet string `json:"snippet"`
	Date    string `json:"date"`
}

var host = lazyregexp.New(`^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$`)

// NewQuery checks the arguments of a search. note describes the changes that it made to them.
func NewQuery(text string, count int, domains []string, recent string) (q Query, note string, err error) {
	q = Query{Text: strings.Join(strings.Fields(text), " "), Count: count, Recent: recent}
	hidden := func(r rune) bool { return humanize.IsHidden(r) || unicode.IsControl(r) }
	switch {
	case q.Text == "":
		return q, "", errors.New("the query is empty; it needs 1 to 400 characters")
	case utf8.RuneCountInString(q.Text) > maxQuery:
		return q, "", fmt.Errorf("the query has %d characters; the limit is %d", utf8.RuneCountInString(q.Text), maxQuery)
	case !utf8.ValidString(q.Text) || strings.ContainsFunc(q.Text, hidden):
		return q, "", errors.New("the query contains invisible characters; remove them")
	case recent != "" && !slices.Contains([]string{"day", "week", "month", "year"}, recent):
		return q, "", fmt.Errorf("recent is %q; it must be day, week, month or year", humanize.Line(recent, 40))
	case len(domains) > maxDomains:
		return q, "", fmt.Errorf("there are %d domains; the limit is %d", len(domains), maxDomains)
	}
	if bounded := min(max(count, 1), maxCount); count == 0 {
		q.Count = defaultCount
	} else if bounded != count {
		q.Count, note = bounded, fmt.Sprintf("[count %[2]d used instead of %[1]d]", count, bounded)
	}
	for _, domain := range domains {
		name, without := strings.CutPrefix(strings.ToLower(strings.TrimSpace(domain)), "-")
		if !host.MatchString(name) || len(name) > 253 {
			return q, "", fmt.Errorf("invalid host name %q in domains; write docs.example.com, or -example.com to exclude it", humanize.Line(domain, 80))
		}
		if without {
			q.WithoutHosts = append(q.WithoutHosts, name)
		} else {
			q.OnlyHosts = append(q.OnlyHosts, name)
		}
	}
	if len(q.OnlyHosts) > 0 && len(q.WithoutHosts) > 0 {
		return q, "", fmt.Errorf("domains must include hosts (%s) or exclude hosts (-%s), not both", strings.Join(q.OnlyHosts, ", "), strings.Join(q.WithoutHosts, ", -"))
	}
	return q, note, nil
}

// allowsHost reports whether the query allows results from a host.
func (q Query) allowsHost(name string) bool {
	below := func(domain string) bool { return IsInDomain(name, domain) }
	return (len(q.OnlyHosts) == 0 || slices.ContainsFunc(q.OnlyHosts, below)) && !slices.ContainsFunc(q.WithoutHosts, below)
}

// IsInDomain reports whether a host is a domain or a subdomain of it.
func IsInDomain(name, domain string) bool {
	return name == domain || strings.HasSuffix(name, "."+domain)
}

// operators returns the text of the query, with its domains in the search operators of engines.
func (q Query) operators() string {
	text := q.Text
	for i, name := range q.OnlyHosts {
		if i > 0 {
			text += " OR"
		}
		text += " site:" + name
	}
	for _, name := range q.WithoutHosts {
		text += " -site:" + name
	}
	return text
}

// key returns the same text for queries with the same answer.
func (q Query) key(way string) string {
	return strings.Join([]string{way, strings.ToLower(q.Text), fmt.Sprint(q.Count), strings.Join(q.OnlyHosts, ","), strings.Join(q.WithoutHosts, ","), q.Recent}, "\n")
}

// maxAddress limits the length of the address of a result, in bytes.
const maxAddress = 1000

// filterResults returns the results that match the query. It omits addresses outside the web, and
// duplicates.
func (q Query) filterResults(found []Result, denied func(host string) bool) []Result {
	var wanted []Result
	seen := map[string]bool{}
	for _, r := range found {
		u, err := url.Parse(strings.TrimSpace(r.URL))
		if err != nil || len(r.URL) > maxAddress || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.User != nil {
			continue
		}
		r.URL = u.String()
		name := strings.ToLower(u.Hostname())
		if seen[r.URL] || strings.ContainsFunc(r.URL, func(c rune) bool { return c <= ' ' || c > '~' }) || !q.allowsHost(name) || denied(name) {
			continue
		}
		seen[r.URL] = true
		if wanted = append(wanted, r); len(wanted) == q.Count {
			break
		}
	}
	return wanted
}

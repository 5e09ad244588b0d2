package websearch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"agent/internal/base/humanize"
	"agent/internal/fetch"
)

// Values of the setting web-search other than the names of services.
const (
	Off      = "off"
	Auto     = "auto"
	Provider = "provider"
	Command  = "command"
)

// SettingValues returns all values of the setting web-search.
func SettingValues() []string {
	ways := []string{Off, Auto, Provider, Command}
	for _, service := range services {
		ways = append(ways, service.Name)
	}
	return ways
}

// Limits of a search.
const (
	patience  = 10 * time.Second
	maxReply  = 1 << 20
	maxWait   = 10 * time.Second
	keepsFor  = 15 * time.Minute
	pausesFor = 5 * time.Minute
	tries     = 2
)

// Settings are the present settings for searches.
type Settings struct {
	// Way is the value of the setting web-search. URL is the address of a SearXNG, or of a Google
	// search engine. Command is the user's own command.
	Way, URL, Command     string
	MaxTokens, MaxPerTurn int
	// Price is the price of a thousand searches in USD, 0 if it is unknown.
	Price float64
}

// Config connects a Searcher with its conversation. Every field except Request and Now is required.
type Config struct {
	Settings func() Settings
	// Key returns the stored API key for the address of a service, "" for none.
	Key func(baseURL string) string
	// Run runs the user's command with an input, and returns its output. line is the command, and
	// most limits the output in bytes.
	Run func(ctx context.Context, line string, input []byte, limit time.Duration, most int) (string, error)
	// Environ is the environment. KeyFiles returns the secret files. No query with a secret from
	// these is sent.
	Environ  []string
	KeyFiles func() []string
	// Server returns nil if the model's server can search the web itself, else the reason. A nil
	// Server means that it cannot.
	Server func() error
	// Denied reports whether rules of the user forbid pages of a host.
	Denied func(host string) bool
	// Request sends a request; nil means fetch.Do.
	Request func(ctx context.Context, request *http.Request, private bool, most int64) (fetch.Response, error)
	Now     func() time.Time
}

// Searcher searches for one conversation. It is safe for concurrent use.
type Searcher struct {
	config Config

	mu sync.Mutex
	// kept contains recent answers by query. refused contains the refusals by search service: their
	// number, and the error to return until the pause ends.
	kept    map[string]Answer
	refused map[string]*refusal
	// searched is the number of searches in the turn.
	searched int
}

type refusal struct {
	times int
	until time.Time
	err   error
}

// New returns a Searcher. It sends and reads nothing before the first search.
func New(config Config) *Searcher {
	if config.Request == nil {
		config.Request = fetch.Do
	}
	if config.Now == nil {
		config.Now = time.Now
	}
	return &Searcher{config: config, kept: map[string]Answer{}, refused: map[string]*refusal{}}
}

// BeginTurn resets the number of searches in the turn.
func (s *Searcher) BeginTurn() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.searched = 0
}

// way returns the settings, with auto replaced by the selected search service.
func (s *Searcher) way() Settings {
	set := s.config.Settings()
	if set.Way != Auto {
		return set
	}
	if set.Way = Off; s.server() == nil {
		set.Way = Provider
		return set
	}
	for _, service := range services {
		if service.Home != "" && s.config.Key(service.Home) != "" && (service.Name != Google || engine(set.URL) != "") {
			set.Way = service.Name
			break
		}
	}
	return set
}

// server returns the reason why the model's server does not search the web itself, nil if it does.
func (s *Searcher) server() error {
	if s.config.Server == nil {
		return errors.New("the setting web-search is provider, but this command does not use a model")
	}
	return s.config.Server()
}

// IsByServer reports whether the model's server searches the web itself, with the present settings.
func (s *Searcher) IsByServer() bool { return s.way().Way == Provider && s.server() == nil }

// Service returns the name of the search service in use, or "" if there is none.
func (s *Searcher) Service() string {
	if way := s.way().Way; way != Off && way != Provider {
		return way
	}
	return ""
}

// CheckSettings returns the reason why the present settings do not allow a search, nil if they do.
func (s *Searcher) CheckSettings() error {
	_, err := s.ready(s.way())
	return err
}

// Price returns the price of a search in USD, and whether it is known.
func (s *Searcher) Price() (usd float64, known bool) {
	set := s.way()
	service, _ := ServiceByName(set.Way)
	const thousand = 1000
	return set.Price / thousand, set.Price > 0 || !service.Bills && set.Way != Provider
}

// ready returns the API key of the service, or an error that names what is missing.
func (s *Searcher) ready(set Settings) (key string, err error) {
	service, is := ServiceByName(set.Way)
	switch {
	case set.Way == Off:
		return "", errors.New("web search is off. Set web-search, or store an API key for a search service. To read how, run: agent docs search-the-web")
	case set.Way == Provider:
		return "", s.server()
	case set.Way == Command && set.Command == "":
		return "", errors.New("web-search is command, but web-search.command is not set")
	case set.Way == SearXNG && set.URL == "":
		return "", errors.New("web-search is searxng, but web-search.url is not set")
	case set.Way == Google && engine(set.URL) == "":
		return "", errors.New("web-search is google, but web-search.url is not of the form https://cse.google.com/cse?cx=ID")
	case !is || service.Home == "":
		return "", nil
	}
	if key = s.config.Key(service.Home); key == "" {
		return "", fmt.Errorf("%s needs an API key. Run: agent login search:%s", service.Name, service.Name)
	}
	return key, nil
}

// Check returns an error if a query must not be sent, because rules forbid one of its hosts or it
// contains a secret.
func (s *Searcher) Check(q Query) error {
	for _, name := range q.OnlyHosts {
		if s.config.Denied(name) {
			return fmt.Errorf("refused: a permission rule denies pages of %s", name)
		}
	}
	return q.leaks(secrets(s.config.Environ), s.config.KeyFiles())
}

// Search returns the answer to a query. The caller must have checked the query.
func (s *Searcher) Search(ctx context.Context, q Query) (Answer, error) {
	set := s.way()
	key, err := s.ready(set)
	if err != nil {
		return Answer{}, err
	}
	now := s.config.Now()
	s.mu.Lock()
	kept, again := s.kept[q.key(set.Way)]
	paused := s.refused[set.Way]
	switch {
	case again && now.Sub(kept.At) < keepsFor:
		s.mu.Unlock()
		kept.Cached = true
		return kept, nil
	case set.MaxPerTurn > 0 && s.searched >= set.MaxPerTurn:
		s.mu.Unlock()
		return Answer{}, fmt.Errorf("this turn has already made %s, the limit of web-search.max-per-turn", humanize.Count(s.searched, "search"))
	case paused != nil && now.Before(paused.until):
		s.mu.Unlock()
		return Answer{}, fmt.Errorf("%w; agent waits until %s", paused.err, paused.until.Format("15:04"))
	}
	s.searched++
	s.mu.Unlock()
	found, err := s.ask(ctx, set, key, q)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.pause(set.Way, err)
		return Answer{}, err
	}
	delete(s.refused, set.Way)
	answer := Answer{Service: set.Way, Query: q, Results: q.filterResults(found, s.config.Denied), At: now}
	s.kept[q.key(set.Way)] = answer
	return answer, nil
}

// engine returns the ID of a Google search engine, "" if the address contains none.
func engine(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() != "cse.google.com" {
		return ""
	}
	return u.Query().Get("cx")
}

// MaxTokens returns the limit for the text of an answer.
func (s *Searcher) MaxTokens() int { return s.config.Settings().MaxTokens }

// refusedError is returned if a service refuses the API key or the account.
type refusedError struct{ says string }

func (e *refusedError) Error() string { return e.says }

// pause counts a refusal. From the second consecutive refusal on, the service is not used for some
// time. The caller holds the lock.
func (s *Searcher) pause(way string, err error) {
	if _, refused := errors.AsType[*refusedError](err); !refused {
		return
	}
	if s.refused[way] == nil {
		s.refused[way] = &refusal{}
	}
	r := s.refused[way]
	if r.times++; r.times > 1 {
		r.until, r.err = s.config.Now().Add(pausesFor), err
	}
}

// ask sends a query to the service or the command.
func (s *Searcher) ask(ctx context.Context, set Settings, key string, q Query) ([]Result, error) {
	if set.Way == Command {
		return s.run(ctx, set.Command, q)
	}
	service, known := ServiceByName(set.Way)
	if !known {
		return nil, errors.New("the model's server runs web searches during its reply; do not call this tool")
	}
	base, private := service.Home, false
	if base == "" {
		base, private = set.URL, true
	}
	limited, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("no answer within %s", patience))
	defer cancel()
	for try := 1; ; try++ {
		request, err := service.newRequest(base, key, q, engine(set.URL))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", service.Name, err)
		}
		reply, err := s.config.Request(limited, request, private, maxReply)
		if err != nil {
			return nil, hideKey(fmt.Errorf("%s: %w", service.Name, err), key)
		}
		wait, again := retryAfter(reply, s.config.Now())
		if !again || try == tries || wait > maxWait {
			found, err := service.read(reply)
			return found, hideKey(err, key)
		}
		select {
		case <-time.After(wait):
		case <-limited.Done():
			return nil, fmt.Errorf("%s: %w", service.Name, context.Cause(limited))
		}
	}
}

// hideKey returns an error without the API key, which a service may repeat.
func hideKey(err error, key string) error {
	if err == nil || key == "" || !strings.Contains(err.Error(), key) {
		return err
	}
	return errors.New(strings.ReplaceAll(err.Error(), key, "[key]"))
}

// retryAfter reports whether a reply requests a retry, and the time to wait.
func retryAfter(reply fetch.Response, now time.Time) (wait time.Duration, again bool) {
	if reply.Status != http.StatusTooManyRequests && reply.Status < http.StatusInternalServerError {
		return 0, false
	}
	text := reply.Header.Get("Retry-After")
	if seconds, err := strconv.Atoi(text); err == nil {
		return time.Duration(max(0, min(seconds, 1<<20))) * time.Second, true
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, at.Sub(now)), true
	}
	return time.Second / 2, true
}

func (service Service) read(reply fetch.Response) ([]Result, error) {
	says := func(what string) string {
		return service.Name + " " + what + problem(reply.Body)
	}
	html := strings.Contains(reply.Header.Get("Content-Type"), "html")
	switch status := reply.Status; {
	case service.Name == SearXNG && (html || status == http.StatusForbidden):
		return nil, errors.New("SearXNG returns no JSON. In its settings.yml, add json to search.formats")
	case status == http.StatusUnauthorized, status == http.StatusForbidden, status == http.StatusPaymentRequired, status == http.StatusTooManyRequests:
		return nil, &refusedError{says(fmt.Sprintf("refuses (%d)", status))}
	case status/100 == 3:
		to, _ := url.Parse(reply.Header.Get("Location"))
		if to == nil {
			to = &url.URL{}
		}
		return nil, errors.New(humanize.Line(service.Name+" redirects to "+to.Host+", which agent does not follow", maxExcerpt))
	case status != http.StatusOK:
		return nil, errors.New(says(fmt.Sprintf("answered %d", status)))
	}
	found, err := service.results.read(reply.Body)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", service.Name, err)
	}
	return found, nil
}

// problem returns the error message of a service after a colon, "" for none.
func problem(body []byte) string {
	var says struct {
		Message, Detail, Error, Msg any
	}
	_ = json.Unmarshal(body, &says)
	for _, one := range []any{says.Message, says.Detail, says.Error, says.Msg} {
		for {
			members, is := one.(map[string]any)
			if list, isList := one.([]any); isList && len(list) > 0 {
				one = list[0]
				continue
			}
			if !is {
				break
			}
			for _, name := range []string{"message", "detail", "error", "msg"} {
				if one = members[name]; one != nil {
					break
				}
			}
		}
		if text, is := one.(string); is && text != "" {
			return ": " + clean(text, maxExcerpt)
		}
	}
	return ""
}

// run sends a query to the user's command.
func (s *Searcher) run(ctx context.Context, line string, q Query) ([]Result, error) {
	domains := append([]string{}, q.OnlyHosts...)
	for _, name := range q.WithoutHosts {
		domains = append(domains, "-"+name)
	}
	input, err := json.Marshal(given{"query": q.Text, "count": q.Count, "domains": domains, "recent": q.Recent})
	if err != nil {
		return nil, err
	}
	printed, err := s.config.Run(ctx, line, input, patience, maxReply+1)
	switch {
	case err != nil:
		return nil, err
	case len(printed) > maxReply:
		return nil, fmt.Errorf("web-search.command printed more than %s", humanize.Bytes(maxReply))
	}
	found, err := members{"results", "url", "title", "snippet", "date"}.read([]byte(printed))
	if err != nil {
		return nil, fmt.Errorf("web-search.command: %w; it must print {\"results\": [{\"url\", \"title\", \"snippet\", \"date\"}]}", err)
	}
	return found, nil
}

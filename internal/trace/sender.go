package trace

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"agent/internal/reachlog"
)

const (
	// lastWords is the time limit for sending the last spans when the program ends.
	lastWords = 2 * time.Second
	// mostFailures is the number of consecutive failures after which nothing more is sent.
	mostFailures = 3
	// batch is the greatest number of spans in one request.
	batch = 512
)

// collector describes the server that receives the spans.
type collector struct {
	url    string
	header http.Header
	// service is the service name that the spans report to the server.
	service string
}

// collectorOf returns the collector that the environment names, or nil if there is none.
func collectorOf(env func(string) string) *collector {
	address := env("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
	if general := env("OTEL_EXPORTER_OTLP_ENDPOINT"); address == "" && general != "" {
		address = strings.TrimSuffix(general, "/") + "/v1/traces"
	}
	parsed, err := url.Parse(address)
	protocol := cmp.Or(env("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"), env("OTEL_EXPORTER_OTLP_PROTOCOL"))
	switch {
	case address == "" || err != nil || parsed.Host == "" || parsed.Scheme != "http" && parsed.Scheme != "https":
		return nil
	case strings.EqualFold(env("OTEL_SDK_DISABLED"), "true") || env("OTEL_TRACES_EXPORTER") == "none" || protocol == "grpc":
		return nil
	}
	c := &collector{url: address, header: http.Header{}, service: cmp.Or(env("OTEL_SERVICE_NAME"), "agent")}
	for pair := range strings.SplitSeq(env("OTEL_EXPORTER_OTLP_HEADERS")+","+env("OTEL_EXPORTER_OTLP_TRACES_HEADERS"), ",") {
		key, raw, _ := strings.Cut(pair, "=")
		if v, err := url.PathUnescape(strings.TrimSpace(raw)); err == nil && strings.TrimSpace(key) != "" {
			c.header.Set(strings.TrimSpace(key), v)
		}
	}
	c.header.Set("Content-Type", "application/json")
	return c
}

// sender posts spans on a separate goroutine.
type sender struct {
	collector
	version string
	take    func() []*span
	client  *http.Client
	more    chan struct{}
	end     chan struct{}
	ended   chan struct{}
	once    sync.Once
	ctx     context.Context
	stop    context.CancelFunc
	// failures counts the consecutive failures.
	failures int
}

func newSender(c collector, version string, take func() []*span) *sender {
	s := &sender{collector: c, version: version, take: take, more: make(chan struct{}, 1), end: make(chan struct{}), ended: make(chan struct{})}
	s.client = reachlog.NewClient(nil, reachlog.NoRedirect)
	s.ctx, s.stop = context.WithCancel(context.Background())
	go s.run()
	return s
}

func (s *sender) run() {
	defer close(s.ended)
	for {
		select {
		case <-s.more:
			s.send()
		case <-s.end:
			s.send()
			return
		}
	}
}

// wake makes the sender send the ended spans.
func (s *sender) wake() {
	select {
	case s.more <- struct{}{}:
	default:
	}
}

func (s *sender) close() {
	s.once.Do(func() {
		close(s.end)
		late := time.AfterFunc(lastWords, s.stop)
		defer late.Stop()
		<-s.ended
		s.stop()
	})
}

func (s *sender) send() {
	for spans := s.take(); len(spans) > 0 && s.failures < mostFailures; {
		n := min(batch, len(spans))
		if s.post(spans[:n]) {
			s.failures = 0
		} else {
			s.failures++
		}
		spans = spans[n:]
	}
}

// post sends a batch and reports whether the collector accepted it.
func (s *sender) post(spans []*span) bool {
	type scope struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	}
	body, err := json.Marshal(map[string]any{"resourceSpans": []any{map[string]any{
		"resource":   map[string]any{"attributes": []attribute{text("service.name", s.service), text("service.version", s.version)}},
		"scopeSpans": []any{map[string]any{"scope": scope{"agent", s.version}, "spans": spans}},
	}}})
	if err != nil {
		return false
	}
	ctx, cancel := context.WithTimeout(s.ctx, lastWords)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, bytes.NewReader(body))
	if err != nil {
		return false
	}
	request.Header = s.header.Clone()
	answer, err := s.client.Do(request)
	if err != nil {
		return false
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, 64<<10)) // so that the connection can be reused
	return answer.StatusCode/100 == 2
}

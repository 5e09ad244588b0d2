// Package llmtest is a scripted model server for tests. It supports OpenAI's chat completions and
// Responses API, and the Messages API. A test passes the turns of the model, including faults, and
// reads the received requests afterwards:
//
//	srv := llmtest.New(t,
//		llmtest.Call("read_file", `{"file_path":"a.txt"}`),
//		llmtest.Say("It says ", "hello."),
//	)
//	client := openai.NewClient(openai.Config{BaseURL: srv.URL})
//	…
//	srv.Requests()[1].Last() // the message with the tool's answer
//
// Every request is checked for what real servers refuse (see Validate). A wrong request fails the
// test.
package llmtest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Server is a running model server. It is closed when the test ends.
type Server struct {
	// URL is the base URL for a client; it ends in /v1.
	URL string

	t      testing.TB
	next   func(*Request) Turn
	closed chan struct{}

	mu       sync.Mutex
	requests []*Request
	answers  map[string]string
	hanging  map[string]bool
	calls    int
	claude   *claude
	bound    *boundItems
}

// New starts a server that answers its n-th request with the n-th turn. A request after the last
// turn fails the test.
func New(t testing.TB, turns ...Turn) *Server {
	t.Helper()
	return NewFunc(t, func(r *Request) Turn {
		if r.Number < len(turns) {
			return turns[r.Number]
		}
		t.Errorf("llmtest: request %d, but the script has %d turns", r.Number+1, len(turns))
		return Fail(http.StatusBadRequest, `{"error":{"message":"the script is over"}}`)
	})
}

// NewFunc starts a server that calls next for the turn of every request. Concurrent requests result
// in concurrent calls.
func NewFunc(t testing.TB, next func(*Request) Turn) *Server {
	t.Helper()
	s := &Server{
		t: t, next: next, closed: make(chan struct{}), hanging: map[string]bool{}, claude: newClaude(), bound: &boundItems{before: map[string]string{}},
		answers: map[string]string{"/v1/models": `{"object":"list","data":[{"id":"test-model","object":"model"}]}`},
	}
	web := httptest.NewServer(http.HandlerFunc(s.serve))
	s.URL = web.URL + "/v1"
	t.Cleanup(func() {
		close(s.closed)
		web.Close()
	})
	return s
}

// NewUnjudged is like NewFunc for replies of the Messages API that the test writes itself. It
// accepts thinking that this server did not sign.
func NewUnjudged(t testing.TB, next func(*Request) Turn) *Server {
	t.Helper()
	s := NewFunc(t, next)
	s.claude.lenient = true
	return s
}

// Answer sets the body of the answer, with status 200, of a path other than /v1/chat/completions.
// Examples are "/v1/models" and "/props". With an empty body the path returns status 404.
func (s *Server) Answer(path, body string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers[path] = body
}

// Hang makes a path other than the reply paths send no answer until the client disconnects.
func (s *Server) Hang(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hanging[path] = true
}

// Requests returns the chat requests received so far, in order of arrival.
func (s *Server) Requests() []*Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	api := strings.TrimPrefix(r.URL.Path, "/v1/")
	if r.Method != http.MethodPost || api != Chat && api != Responses && api != Messages {
		s.serveOther(w, r)
		return
	}
	request := s.record(r, api, body)
	out := &reply{server: s, w: w, request: request, gone: r.Context().Done()}
	out.wire = chatWire{out}
	if api == Messages {
		out.wire = &messagesWire{reply: out}
	}
	if api == Responses {
		out.wire = &responsesWire{reply: out}
	}
	s.next(request).play(out)
}

func (s *Server) serveOther(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	answer, hangs := s.answers[r.URL.Path], s.hanging[r.URL.Path]
	s.mu.Unlock()
	if hangs {
		select {
		case <-r.Context().Done():
		case <-s.closed:
		}
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if answer == "" {
		w.WriteHeader(http.StatusNotFound)
		answer = fmt.Sprintf(`{"error":{"message":"no route %s %s"}}`, r.Method, r.URL.Path)
	}
	_, _ = io.WriteString(w, answer)
}

// record stores the request, and fails the test if a real server would refuse it.
func (s *Server) record(r *http.Request, api string, body []byte) *Request {
	request, err := decode(api, body)
	request.Header = r.Header.Clone()
	if err == nil {
		err = request.validate()
	}
	if err == nil && api == Messages {
		err = s.claude.judge(request)
	}
	if err == nil && isBound(request) {
		err = s.bound.verify(request)
	}
	if err != nil {
		s.t.Errorf("llmtest: invalid request: %v\n%s", err, excerpt(body))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	request.Number = len(s.requests)
	s.requests = append(s.requests, request)
	return request
}

// callID returns a call id that this server has not used yet.
func (s *Server) callID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	return fmt.Sprintf("call_%d", s.calls)
}

// excerpt returns the end of a body, because a growing conversation is usually wrong at its end.
func excerpt(body []byte) string {
	const most = 2000
	return strings.ToValidUTF8(string(body[max(0, len(body)-most):]), "")
}

// Transport returns a transport that sends every request to this server, whatever its host. A test
// can then use the address of a vendor.
func (s *Server) Transport() http.RoundTripper {
	target := strings.TrimPrefix(strings.TrimSuffix(s.URL, "/v1"), "http://")
	transport := &http.Transport{DisableCompression: true}
	s.t.Cleanup(transport.CloseIdleConnections)
	return redirecting{target, transport}
}

type redirecting struct {
	host string
	to   http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (r redirecting) RoundTrip(request *http.Request) (*http.Response, error) {
	redirected := request.Clone(request.Context())
	redirected.URL.Scheme, redirected.URL.Host = "http", r.host
	return r.to.RoundTrip(redirected)
}

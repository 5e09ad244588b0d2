package openai_test

import (
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/llm/openai"
	"agent/internal/testing/llmtest"
)

// TestRefusals checks that a failed request becomes an error of the right kind. The error explains
// the failure, its place, and how to fix it. Only temporary failures are tried again.
func TestRefusals(t *testing.T) {
	t.Parallel()
	const rate = `{"error":{"message":"Rate limit reached","type":"requests","code":"rate_limit_exceeded"}}`
	tests := []struct {
		name     string
		turn     llmtest.Turn
		kind     llm.ErrorKind
		attempts int
		says     []string
	}{
		{"400", llmtest.Fail(400, `{"error":{"message":"Invalid value: 'x'","type":"invalid_request_error"}}`), llm.BadRequest, 1, []string{"Bad Request (400): Invalid value: 'x'", "/v1, model m", "agent doctor"}},
		{"422 of FastAPI", llmtest.Fail(422, `{"detail":[{"loc":["body","messages"],"msg":"field required"}]}`), llm.BadRequest, 1, []string{"field required"}},
		{"401", llmtest.Fail(401, `{"error":{"message":"Incorrect API key provided: sk-tes****6789."}}`), llm.Auth, 1, []string{"Unauthorized (401)", "[key]", "OPENAI_API_KEY"}},
		{"403", llmtest.Fail(403, `{"error":"forbidden"}`), llm.Auth, 1, []string{"Forbidden (403): forbidden"}},
		{"402", llmtest.Fail(402, `{"error":{"message":"Insufficient credits"}}`), llm.RateLimit, 1, []string{"Insufficient credits", "add credit"}},
		{"404 for a model", llmtest.Fail(404, `{"error":{"message":"The model 'm' does not exist","code":"model_not_found"}}`), llm.ModelNotFound, 1, []string{"does not exist", "choose another model"}},
		{"404 for a model at Ollama", llmtest.Fail(404, `{"error":{"message":"model \"m\" not found, try pulling it first"}}`), llm.ModelNotFound, 1, []string{"try pulling"}},
		{"400 for a model at OpenRouter", llmtest.Fail(400, `{"error":{"message":"m is not a valid model ID","code":400}}`), llm.ModelNotFound, 1, []string{"not a valid model ID"}},
		{"404 for the path", llmtest.Fail(404, `{"error":{"message":"File Not Found"}}`), llm.NotAnAPI, 1, []string{"Not Found (404)", "base-url", "/v1"}},
		{"404 as plain text", llmtest.Fail(404, "404 page not found\n"), llm.NotAnAPI, 1, []string{"404 page not found", "/v1"}},
		{"404 as a web page that mentions models", llmtest.Fail(404, "<html>our models</html>"), llm.NotAnAPI, 1, []string{"web page"}},
		{"405", llmtest.Fail(405, ``), llm.NotAnAPI, 1, []string{"Method Not Allowed (405)"}},
		{"501 of a file server", llmtest.HTML(501), llm.NotAnAPI, 1, []string{"web page", "base-url"}},
		{"200 with HTML", llmtest.HTML(200), llm.NotAnAPI, 1, []string{"web page", "base-url", "/v1"}},
		{"200 with text", llmtest.Fail(200, "It works!", "Content-Type", "text/plain"), llm.NotAnAPI, 1, []string{"It works!", "base-url"}},
		{"200 with broken JSON", llmtest.Fail(200, `{"a`), llm.NotAnAPI, 1, []string{"base-url"}},
		{"a redirect", llmtest.Fail(308, ``, "Location", "https://other.example/v1/chat/completions?k=1"), llm.NotAnAPI, 1, []string{"does not follow the redirect to https://other.example/v1/chat/completions;", "set base-url to https://other.example/v1"}},
		{"429", llmtest.Fail(429, rate), llm.RateLimit, 5, []string{"Too Many Requests (429): Rate limit reached", "(5 attempts)"}},
		{"429 for the quota", llmtest.Fail(429, `{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}`), llm.RateLimit, 1, []string{"quota", "add credit"}},
		{"500", llmtest.Fail(500, `{"error":{"message":"boom"}}`), llm.Unavailable, 5, []string{"Internal Server Error (500): boom", "try again later"}},
		{"500 without a body", llmtest.Fail(500, ``), llm.Unavailable, 5, []string{"Internal Server Error (500)"}},
		{"502 with HTML", llmtest.HTML(502), llm.Unavailable, 5, []string{"Bad Gateway (502): answered with a web page"}},
		{"503 while llama.cpp loads", llmtest.Fail(503, `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`), llm.Unavailable, 5, []string{"still loading"}},
		{"529", llmtest.Fail(529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`), llm.Unavailable, 5, []string{"status 529: Overloaded"}},
		{"408", llmtest.Fail(408, ``), llm.Unavailable, 5, []string{"Request Timeout (408)"}},
		{"413 of a proxy", llmtest.HTML(413), llm.BadRequest, 1, []string{"too large for the server or a proxy", "/compress"}},
		{"413 of a model", llmtest.Fail(413, `{"error":{"message":"Request too large for model"}}`), llm.ContextOverflow, 1, []string{"/compress"}},
		{"407", llmtest.Fail(407, ``), llm.Auth, 1, []string{"Proxy Authentication Required (407)", "HTTP_PROXY"}},
		{"llama.cpp without templates", llmtest.Fail(500, `{"error":{"message":"tools param requires --jinja flag"}}`), llm.BadRequest, 1, []string{"llama-server with --jinja"}},
		{"vLLM without a tool parser", llmtest.Fail(400, `{"object":"error","message":"\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set","code":400}`), llm.BadRequest, 1, []string{"start vLLM with"}},
		{"a model without tools", llmtest.Fail(400, `{"error":{"message":"gemma does not support tools"}}`), llm.BadRequest, 1, []string{"supports tool calls"}},
		{"a router quotes the provider", llmtest.Fail(400, `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"bad schema"}}}`), llm.BadRequest, 1, []string{"Provider returned error: bad schema"}},
		{"Google's list", llmtest.Fail(400, `[{"error":{"code":400,"message":"API key not valid","status":"INVALID_ARGUMENT"}}]`), llm.Auth, 1, []string{"API key not valid", "OPENAI_API_KEY"}},
		{"400 for a key at xAI", llmtest.Fail(400, `{"code":"invalid-argument","error":"Incorrect API key provided: xa***xy."}`), llm.Auth, 1, []string{"Incorrect API key", "OPENAI_API_KEY"}},
		{"403 without credits at xAI", llmtest.Fail(403, `{"error":"Your newly created team doesn't have any credits yet."}`), llm.RateLimit, 1, []string{"credits yet", "add credit"}},
		{"403 for the country", llmtest.Fail(403, `{"error":{"message":"Country, region, or territory not supported","code":"unsupported_country_region_territory"}}`), llm.BadRequest, 1, []string{"does not serve your region"}},
		{"400 without credits at Anthropic", llmtest.Fail(400, `{"error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API."}}`), llm.RateLimit, 1, []string{"too low", "add credit"}},
		{"429 without credits at Kimi", llmtest.Fail(429, `{"error":{"message":"Your account is suspended, please check your plan and billing details","type":"exceeded_current_quota_error"}}`), llm.RateLimit, 1, []string{"suspended", "add credit"}},
		{"404 for a model at Google", llmtest.Fail(404, `[{"error":{"code":404,"message":"models/gemini-9 is not found for API version v1main, or is not supported for generateContent.","status":"NOT_FOUND"}}]`), llm.ModelNotFound, 1, []string{"gemini-9", "choose another model"}},
		{"400 for a model at DeepSeek", llmtest.Fail(400, `{"error":{"message":"Model Not Exist","type":"invalid_request_error"}}`), llm.ModelNotFound, 1, []string{"Not Exist", "choose another model"}},
		{"400 for a model at GLM", llmtest.Fail(400, `{"error":{"code":"1211","message":"Unknown Model, please check the model code."}}`), llm.ModelNotFound, 1, []string{"Unknown Model", "choose another model"}},
		{"404 for a deployment at Azure", llmtest.Fail(404, `{"error":{"code":"DeploymentNotFound","message":"The API deployment for this resource does not exist."}}`), llm.ModelNotFound, 1, []string{"deployment", "choose another model"}},
		{"404 for a model without provider at OpenRouter", llmtest.Fail(404, `{"error":{"message":"No endpoints found for foo/bar.","code":404}}`), llm.ModelNotFound, 1, []string{"No endpoints", "choose another model"}},
		{"a model without tools at Google", llmtest.Fail(400, `[{"error":{"code":400,"message":"Function calling is not enabled for models/gemma-3-27b-it"}}]`), llm.BadRequest, 1, []string{"supports tool calls"}},
		{"a model without tools at Groq", llmtest.Fail(400, "{\"error\":{\"message\":\"`tools` is not supported with this model\"}}"), llm.BadRequest, 1, []string{"supports tool calls"}},
		{"a call that Groq could not read", llmtest.Fail(400, `{"error":{"message":"Failed to call a function. Please adjust your prompt.","code":"tool_use_failed","failed_generation":"<function=x>"}}`), llm.Unavailable, 3, []string{"Failed to call", "another model"}},
		{"498 of Groq", llmtest.Fail(498, `{"error":{"message":"Flex tier capacity exceeded"}}`), llm.Unavailable, 5, []string{"capacity exceeded"}},
		{"control characters", llmtest.Fail(400, "oops\x1b[2J\nthere"), llm.BadRequest, 1, []string{"oops␛[2J there"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			srv := llmtest.NewFunc(t, func(*llmtest.Request) llmtest.Turn { return tt.turn })
			client, _ := newClient(t, srv)
			_, err := collect(t.Context(), client, ask("hi"))
			got := failure(t, err)
			if got.Kind != tt.kind || got.Attempts != tt.attempts || len(srv.Requests()) != tt.attempts {
				t.Errorf("kind %d after %d attempts (%d requests), want %d after %d", got.Kind, got.Attempts, len(srv.Requests()), tt.kind, tt.attempts)
			}
			for _, words := range append(tt.says, srv.URL) {
				if !strings.Contains(err.Error(), words) {
					t.Errorf("%q does not say %q", err, words)
				}
			}
			// The address may contain these digits by chance.
			if said := strings.ReplaceAll(err.Error(), srv.URL, ""); strings.ContainsAny(said, "<>\x1b\n") || strings.Contains(said, "6789") {
				t.Errorf("%q carries HTML, control characters or a part of the key", err)
			}
		})
	}
}

// TestUnreachable checks that an address where nothing listens is reported within seconds.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	base := "http://" + listener.Addr().String() + "/v1"
	_ = listener.Close()
	w := &waits{}
	client := openai.NewClient(openai.Config{BaseURL: base, Transport: &http.Transport{}, Retry: llm.RetryPolicy{Sleep: w.sleep, Jitter: func() float64 { return 1 }}})
	_, err = collect(t.Context(), client, ask("hi"))
	got := failure(t, err)
	if got.Kind != llm.Unavailable || got.Attempts != 3 || !strings.Contains(err.Error(), base) || !strings.Contains(err.Error(), "start the server") {
		t.Errorf("got %v (kind %d, %d attempts)", err, got.Kind, got.Attempts)
	}
	if diff := cmp.Diff([]time.Duration{time.Second, 2 * time.Second}, w.list); diff != "" {
		t.Error(diff)
	}
}

// roundTripper answers requests without a network.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestConnectionFaults(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		err      error
		kind     llm.ErrorKind
		attempts int
		says     string
	}{
		"unknown host":       {&net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "nowhere.example", IsNotFound: true}}, llm.Unavailable, 3, "the host nowhere.example is unknown"},
		"no route":           {&net.OpError{Op: "dial", Err: errors.New("no route to host")}, llm.Unavailable, 3, "no route to host"},
		"closed":             {io.EOF, llm.Unavailable, 5, "closed the connection without an answer"},
		"reset":              {errors.New("connection reset by peer"), llm.Unavailable, 5, "connection reset by peer"},
		"HTTP behind https":  {errors.New("http: server gave HTTP response to HTTPS client"), llm.NotAnAPI, 1, "write http://"},
		"another protocol":   {errors.New(`net/http: HTTP/1.x transport connection broken: malformed HTTP response "\x15\x03"`), llm.NotAnAPI, 1, "https://"},
		"a key in the cause": {errors.New("proxy refused sk-test-0123456789"), llm.Unavailable, 5, "refused [key]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := openai.NewClient(openai.Config{
				BaseURL: "https://user:secret@host.example/v1", Key: "sk-test-0123456789",
				Transport: roundTripper(func(*http.Request) (*http.Response, error) { return nil, tt.err }),
				Retry:     llm.RetryPolicy{Sleep: (&waits{}).sleep},
			})
			_, err := collect(t.Context(), client, ask("hi"))
			got := failure(t, err)
			if got.Kind != tt.kind || got.Attempts != tt.attempts || !strings.Contains(err.Error(), tt.says) || !errors.Is(err, tt.err) {
				t.Errorf("got %v (kind %d, %d attempts)", err, got.Kind, got.Attempts)
			}
			if strings.Contains(err.Error(), "secret") {
				t.Errorf("%q shows a password", err)
			}
		})
	}
}

// TestUntrustedCertificate checks that an untrusted certificate is reported at once, because a
// retry cannot change it.
func TestUntrustedCertificate(t *testing.T) {
	t.Parallel()
	web := httptest.NewUnstartedServer(http.NotFoundHandler())
	web.Config.ErrorLog = log.New(io.Discard, "", 0)
	web.StartTLS()
	t.Cleanup(web.Close)
	client := openai.NewClient(openai.Config{BaseURL: web.URL + "/v1", Transport: &http.Transport{}, Retry: llm.RetryPolicy{Sleep: (&waits{}).sleep}})
	_, err := collect(t.Context(), client, ask("hi"))
	if got := failure(t, err); got.Kind != llm.Unavailable || got.Attempts != 1 || !strings.Contains(err.Error(), "certificate is not trusted") {
		t.Errorf("got %v after %d attempts", err, got.Attempts)
	}
}

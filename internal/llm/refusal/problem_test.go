package refusal

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"agent/internal/llm"
)

// FuzzProblem checks that any error body is shortened to one line.
func FuzzProblem(f *testing.F) {
	for _, body := range []string{`{"error":{"message":["a",{"msg":"b"}],"code":"429"}}`, `[]`, `null`, `{"detail":[{"msg":"x"}]}`, "\x1b[2J", `"x"`, `{"error":{"metadata":{"raw":7}}}`} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		p := Parse(body)
		if strings.ContainsFunc(p.Message, func(r rune) bool { return r < ' ' || r == 0x7f }) || len(p.Message) > 5000 {
			t.Fatalf("%q gave %q", body, p.Message)
		}
		meaning := p.AsError()
		kind, hint := meaning.Kind, meaning.Hint
		if hint == "" || kind < llm.Unavailable || kind > llm.NotAnAPI {
			t.Fatalf("%q gave kind %d, hint %q", body, kind, hint)
		}
	})
}

// An event of a stream is an error only if it contains one. An empty error member next to choices
// does not count.
func TestInEvent(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, data string
		want       string // the message, or empty if the event is no error
	}{
		{"", `{"choices":[]}`, ""},
		{"", `{"error":{"message":"m"}}`, "m"},
		{"", `{"error":"m"}`, "m"},
		{"", `{"error":null,"detail":null,"choices":[]}`, ""},
		{"", `{"error":"","choices":[]}`, ""},
		{"", `{"error":false}`, ""},
		{"", `{"error":{},"choices":[]}`, ""},
		{"", `{"error":[],"choices":[]}`, ""},
		{"", `{"error":{}}`, `{"error":{}}`},
		{"", `{"error":{"message":"m"},"choices":[]}`, "m"},
		{"", `{"detail":"m"}`, "m"},
		{"", `{"detail":"m","choices":[]}`, ""},
		{"", `{"object":"error","message":"m","error":null}`, "m"},
		{"error", `{"message":"m"}`, "m"},
		{"error", `no "error"`, ""},
		{"", `{"base_resp":{"status_code":0,"status_msg":"success"}}`, ""},
		{"", `{"base_resp":{"status_code":1004,"status_msg":"m"}}`, "m"},
	} {
		p, is := ParseEvent([]byte(tc.data), tc.name)
		if is != (tc.want != "") || p.Message != tc.want {
			t.Errorf("%s %s: %t, %q", tc.name, tc.data, is, p.Message)
		}
	}
}

// Every format of an error message yields one message and one status.
func TestParse(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]struct {
		message string
		status  int
		code    string
	}{
		` {"error":{"message":"m","code":"429","type":"t","status":503}} `: {"m", 429, "429 t "},
		`{"error":{"message":"m","code":399,"status":600}}`:                {"m", 0, ""},
		`{"error":{"message":"m","code":400}}`:                             {"m", 400, ""},
		`{"error":{"message":"m","code":"x","status":599}}`:                {"m", 599, "x "},
		`[{"error":{"message":"m"}}, {"message":"n"}]`:                     {"m", 0, ""},
		`[]`:            {},
		`"m"`:           {"m", 0, ""},
		`{"title":"m"}`: {"m", 0, ""},
		`{"detail":[{"loc":["body","a",0],"msg":"m"},{"msg":""},{"msg":"n"}]}`: {"a.0: m; n", 0, ""},
		`{"error":{"message":"m","metadata":{"raw":"n"}}}`:                     {"m: n", 0, ""},
		`{"error":{"message":"m","metadata":{"raw":""}}}`:                      {"m", 0, ""},
		`plain`: {"plain", 0, ""},
	} {
		p := Parse([]byte(body))
		if p.Message != want.message || p.Status != want.status || p.Code != want.code || p.NotAnAPI {
			t.Errorf("%s: %+v", body, p)
		}
	}
	if !Parse([]byte("\n<html>")).NotAnAPI {
		t.Error("a page is taken for the answer of an API")
	}
}

func TestWait(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, tc := range []struct {
		header, value, body string
		want                time.Duration
	}{
		{"", "", "", 0},
		{"Retry-After-Ms", "1500", "", 1500 * time.Millisecond},
		{"X-Ms-Retry-After-Ms", "20", "", 20 * time.Millisecond},
		{"Retry-After", " 2.5 ", "", 2500 * time.Millisecond},
		{"Retry-After", "-1", "", 0},
		{"Retry-After", "NaN", "", 0},
		{"Retry-After", "1e300", "", 365 * 24 * time.Hour},
		{"Retry-After", now.Add(time.Minute).Format(http.TimeFormat), "", time.Minute},
		{"Retry-After", now.Add(-time.Minute).Format(http.TimeFormat), "", 0},
		{"Retry-After", "3", "try again in 6m0s", 3 * time.Second},
		{"", "", "Please try again in 6m0s.", 6 * time.Minute},
		{"", "", "retry after 12 seconds", 12 * time.Second},
		{"", "", "wait 1 second", time.Second},
		{"", "", `{"error":{"message":"retry in 7s","details":[{"x":1},{"retryDelay":"37s"}]}}`, 37 * time.Second},
		{"", "", `{"error":{"details":[{"retryDelay":"-37s"}]}}`, 0},
	} {
		p := Parse([]byte(tc.body))
		p.Header = http.Header{}
		p.Header.Set(tc.header, tc.value)
		if got := p.RetryDelay(now); got != tc.want {
			t.Errorf("%s: %s, %s: %v, want %v", tc.header, tc.value, tc.body, got, tc.want)
		}
	}
}

// A context window in an error message is used if it is at least 512 tokens.
func TestWindow(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]int{
		"This model's maximum context length is 8,192 tokens": 8192,
		"maximum context length is 511":                       0,
		"maximum context length is 512":                       512,
		"a context window of 128k":                            128_000,
		"too long":                                            0,
		`{"error":{"message":"exceeds the available context size (4096)","n_ctx":8192}}`: 8192,
		`{"error":{"message":"too long","n_ctx":4096}}`:                                  4096,
	} {
		if got := Parse([]byte(body)).WindowTokens(); got != want {
			t.Errorf("%s: %d, want %d", body, got, want)
		}
	}
}

// The size of a refused prompt is read from the messages of the vendors that include it.
func TestPrompt(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]int{
		"prompt is too long: 212,345 tokens > 200000 maximum":                                                 212_345,
		"input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000":                         190_000,
		"Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 274343 tokens.": 274_343,
		"The input token count (1050000) exceeds the maximum number of tokens allowed (1048576).":             1_050_000,
		"request (9000 tokens) exceeds the available context size (8192 tokens), try increasing it":           9000,
		"This model's maximum context length is 8,192 tokens":                                                 0,
	} {
		if got := (Problem{Message: message}).PromptTokens(); got != want {
			t.Errorf("%s: %d, want %d", message, got, want)
		}
	}
}

// Long fields of an error are cut before its meaning is determined, because the patterns would take
// seconds with megabytes.
func TestLongErrorsAreCut(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("model ", 1<<17)
	p, found := ParseEvent([]byte(`{"error":{"message":"`+long+`","code":"`+long+`","type":"`+long+`","status":"`+long+`","metadata":{"raw":"`+long+`"}}}`), "")
	if most := 4 * longest; !found || len(p.Message) > most || len(p.Code) > most {
		t.Errorf("found %t, a message of %d bytes and a code of %d", found, len(p.Message), len(p.Code))
	}
}

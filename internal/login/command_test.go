package login

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"agent/internal/llm"
)

// printer is a runner that prints the given outputs in turn, and repeats the last one.
type printer struct {
	mu      sync.Mutex
	prints  []string
	runs    int
	err     error
	hangs   bool
	stderr  string
	delayed time.Duration
}

func (p *printer) run(ctx context.Context, _ string, most int) ([]byte, string, error) {
	p.mu.Lock()
	p.runs++
	text := p.prints[min(p.runs, len(p.prints))-1]
	p.mu.Unlock()
	if p.hangs {
		<-ctx.Done()
	}
	time.Sleep(p.delayed)
	return []byte(text[:min(len(text), most)]), p.stderr, p.err
}

func (p *printer) source(now func() time.Time) Source {
	return (&CommandSources{Run: p.run, Now: now}).Source("print", "https://gateway.example/v1", 10*time.Minute)
}

// TestOutputOfAuthCommands lists the outputs of an auth command: valid tokens, and the errors for all
// others.
func TestOutputOfAuthCommands(t *testing.T) {
	t.Parallel()
	now := func() time.Time { return time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC) }
	for _, tt := range []struct{ prints, key, says string }{
		{"tok-1\n", "tok-1", ""},
		{"  tok-1\r\n\n", "tok-1", ""},
		{`{"token":"tok-1","expires_at":"2026-01-01T13:00:00Z","headers":{"x-region":"eu"}}`, "tok-1", ""},
		{`{"headers":{"Authorization":"Basic abc"}}`, "", ""},
		{"", "", "printed nothing"},
		{" \n", "", "printed nothing"},
		{"a\nb\n", "", "more than one line"},
		{strings.Repeat("x", 1<<20), "", "more than 64.0 KiB"},
		{strings.Repeat("x", 20_000), "", "an invalid token"},
		{"to ken", "", "an invalid token"},
		{"\x00\xff\x1b", "", "an invalid token"},
		{"{", "", "JSON that is not"},
		{`{"token":7}`, "", "JSON that is not"},
		{`{}`, "", "without a token"},
		{`{"token":"t","headers":{"authorization":"x"}}`, "", "print only one"},
		{`{"token":"t","headers":{"Host":"evil"}}`, "", "the invalid header"},
		{`{"token":"t","headers":{"a b":"evil"}}`, "", "the invalid header"},
		{`{"token":"t","headers":{"X-A":"a\nb"}}`, "", "an invalid value"},
		{`{"token":"t","expires_at":"tomorrow"}`, "", "an invalid expires_at"},
		{`{"token":"a b"}`, "", "an invalid token"},
	} {
		token, err := (&printer{prints: []string{tt.prints}}).source(now).Token(t.Context(), "")
		if got := fmt.Sprint(err); string(token.Key) != tt.key || !strings.Contains(got, tt.says) || (err == nil) != (tt.says == "") {
			t.Errorf("%.40q: %q, %s", tt.prints, string(token.Key), got)
		}
		failure, is := errors.AsType[*llm.Error](err)
		if err != nil && (!is || failure.Kind != llm.Auth || strings.HasPrefix(tt.prints, "to ") && strings.Contains(err.Error(), tt.prints)) {
			t.Errorf("%.40q: %#v", tt.prints, err)
		}
	}
	p := &printer{prints: []string{"tok-secret"}, err: errors.New("exit 1"), stderr: "no\naccount \x1b[2J"}
	if _, err := p.source(now).Token(t.Context(), ""); err == nil || !strings.Contains(err.Error(), "auth-command failed: exit 1: no account ␛[2J") || strings.Contains(err.Error(), "tok-secret") {
		t.Errorf("%v", err)
	}
}

// TestAuthCommandRunsOnce checks that the auth command runs once for all conversations, until its
// token expires or is refused.
func TestAuthCommandRunsOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &printer{prints: []string{"tok-1", "tok-2", `{"token":"tok-3","expires_at":"%s"}`}, delayed: 200 * time.Millisecond}
		p.prints[2] = fmt.Sprintf(p.prints[2], time.Now().Add(time.Hour).Format(time.RFC3339))
		source := p.source(time.Now)
		var group sync.WaitGroup
		for range 50 {
			group.Go(func() {
				if token, err := source.Token(t.Context(), ""); err != nil || token.Key != "tok-1" {
					t.Error(token, err)
				}
			})
		}
		group.Wait()
		began := time.Now()
		if token, _ := source.Token(t.Context(), ""); token.Key != "tok-1" || p.runs != 1 || time.Since(began) > 0 {
			t.Errorf("%d runs", p.runs)
		}
		time.Sleep(11 * time.Minute) // auth-command-life
		if token, err := source.Token(llm.WithoutUser(t.Context()), ""); err == nil || p.runs != 1 {
			t.Errorf("a request that nobody waits for gets %v after %d runs", token, p.runs)
		}
		if token, _ := source.Token(t.Context(), ""); token.Key != "tok-2" || p.runs != 2 {
			t.Errorf("%d runs", p.runs)
		}
		if token, _ := source.Token(t.Context(), "tok-2"); token.Key != "tok-3" || p.runs != 3 {
			t.Errorf("%d runs", p.runs)
		}
		if token, _ := source.Token(t.Context(), "tok-2"); token.Key != "tok-3" || p.runs != 3 {
			t.Errorf("%d runs", p.runs)
		}
		if _, err := source.Token(t.Context(), "tok-3"); err == nil || !strings.Contains(err.Error(), "printed it again") {
			t.Error(err)
		}
	})
}

// TestAuthCommandThatHangs checks that the program stops after 30 seconds. A caller with a shorter
// wait does not stop it.
func TestAuthCommandThatHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &printer{prints: []string{"tok-1"}, hangs: true}
		source := p.source(time.Now)
		began := time.Now()
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := source.Token(short, ""); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		if _, err := source.Token(t.Context(), ""); err == nil || !strings.Contains(err.Error(), "stopped after 30s") || time.Since(began) != commandTime { // no second run
			t.Error(err, time.Since(began))
		}
		past := fmt.Sprintf(`{"token":"tok-9","expires_at":"%s"}`, time.Now().Add(-time.Hour).Format(time.RFC3339))
		late := (&printer{prints: []string{past}}).source(time.Now)
		if token, err := late.Token(t.Context(), ""); err != nil || token.Key != "tok-9" {
			t.Error(err)
		}
		if _, err := late.Token(t.Context(), ""); err == nil || !strings.Contains(err.Error(), "expired tokens") {
			t.Error(err)
		}
	})
}

// TestSign checks that a token is sent only to its address. A refused token is replaced once.
func TestSign(t *testing.T) {
	t.Parallel()
	var got []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = append(got, r.Header.Get("Authorization")+" "+r.Header.Get("X-Region")+" "+string(body))
		if r.Header.Get("Authorization") != "Bearer tok-2" {
			w.WriteHeader(http.StatusUnauthorized)
		}
	}))
	defer server.Close()
	var used []string
	p := &printer{prints: []string{"tok-1", `{"token":"tok-2","headers":{"X-Region":"eu"}}`, "tok-3"}}
	client := &http.Client{Transport: Sign(http.DefaultTransport, server.URL+"/v1", p.source(time.Now), func(k llm.Key) { used = append(used, string(k)) })}
	post := func(address string) (*http.Response, error) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader("question"))
		if err != nil {
			t.Fatal(err)
		}
		return client.Do(request)
	}
	response, err := post(server.URL + "/v1/chat")
	if err != nil || response.StatusCode != http.StatusOK || strings.Join(got, "|") != "Bearer tok-1  question|Bearer tok-2 eu question" {
		t.Errorf("%v, %q", err, got)
	}
	if strings.Join(used, " ") != "tok-1 eu tok-2" {
		t.Errorf("told of %q", used)
	}
	for _, address := range []string{"http://other.example/v1", strings.Replace(server.URL, "127.0.0.1", "localhost", 1), "https://127.0.0.1:1/"} {
		if _, err := post(address); err == nil || !strings.Contains(err.Error(), "is not sent to") {
			t.Errorf("%s: %v", address, err)
		}
	}
	plain := &http.Client{Transport: Sign(http.DefaultTransport, "http://gateway.example/v1", p.source(time.Now), func(llm.Key) { t.Error("a key is used") })}
	if _, err := plain.Get("http://gateway.example/v1/models"); err == nil || !strings.Contains(err.Error(), "is not sent to") {
		t.Error(err)
	}
}

package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"go.uber.org/goleak"
	"pgregory.net/rapid"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func post(t *testing.T, server *Server, body string) (status int, text string) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Post(server.BaseURL+"/chat/completions", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(data)
}

func TestModels(t *testing.T) {
	t.Parallel()
	p := newPlayer(t)
	response, err := http.Get(p.server.BaseURL + "/models")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var list struct {
		Data []struct {
			ID     string `json:"id"`
			Window int    `json:"max_model_len"`
		} `json:"data"`
	}
	if err := json.NewDecoder(response.Body).Decode(&list); err != nil {
		t.Fatal(err)
	}
	if len(list.Data) != 1 || list.Data[0].ID != Model || list.Data[0].Window != Window {
		t.Errorf("models %+v", list)
	}
}

func TestBadRequestsAreRefusedInTheApisForm(t *testing.T) {
	t.Parallel()
	p := newPlayer(t)
	for _, test := range []struct {
		body   string
		status int
		want   string
	}{
		{"{", 400, "chat completions"},
		{`{"model":"demo","stream":true,"messages":[]}`, 400, "messages"},
		{`{"model":"demo","stream":true,"messages":[{"role":"user","content":7}]}`, 400, "content"},
		{`{"model":"demo","messages":[{"role":"user","content":"x"}]}`, 400, "stream"},
		{`{"model":"other","stream":true,"messages":[{"role":"user","content":"x"}]}`, 404, "other"},
	} {
		status, text := post(t, p.server, test.body)
		var answer struct {
			Error struct{ Message, Code string }
		}
		if err := json.Unmarshal([]byte(text), &answer); err != nil || status != test.status ||
			!strings.Contains(answer.Error.Message, test.want) || answer.Error.Code == "" {
			t.Errorf("%s: status %d, %s", test.body, status, text)
		}
	}
}

func TestContentInParts(t *testing.T) {
	t.Parallel()
	p := newPlayer(t)
	_, text := post(t, p.server, `{"model":"demo","stream":true,"messages":[{"role":"user","content":[{"type":"text","text":"read a.png"},{"type":"image_url","image_url":{"url":"data:,"}}]}]}`)
	wantWords(t, text, `"name":"read_file"`, "[DONE]")
	if strings.Contains(text, "prompt_tokens") {
		t.Error("usage was sent though nobody asked for it")
	}
}

// TestUsage checks that the cached tokens are the common prefix of the request and the request
// before it.
func TestUsage(t *testing.T) {
	t.Parallel()
	p := newPlayer(t)
	p.add(map[string]any{"role": "system", "content": strings.Repeat("s", 400)})
	p.say("help")
	first := p.usage
	if first.PromptTokensDetails.CachedTokens != 0 || first.PromptTokens < 100 || first.CompletionTokens < 50 || first.TotalTokens != first.PromptTokens+first.CompletionTokens {
		t.Errorf("first usage %+v", first)
	}
	p.say("help")
	// The cached part is the whole first request and nothing after it.
	if got := p.usage.PromptTokensDetails.CachedTokens; got < first.PromptTokens-1 || got > first.PromptTokens+3 {
		t.Errorf("%d cached tokens after a prompt of %d", got, first.PromptTokens)
	}
	p.messages[0]["content"] = "another"
	p.say("help")
	if got := p.usage.PromptTokensDetails.CachedTokens; got > 5 {
		t.Errorf("%d cached tokens though the request begins anew", got)
	}
}

func TestCloseEndsAReplyThatStreams(t *testing.T) {
	t.Parallel()
	paused := make(chan struct{}, 1)
	server, err := Start(t.Context(), Options{Pause: func(ctx context.Context, _ time.Duration) error {
		paused <- struct{}{}
		<-ctx.Done()
		return ctx.Err()
	}})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		body := `{"model":"demo","stream":true,"messages":[{"role":"user","content":"help"}]}`
		client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		response, err := client.Post(server.BaseURL+"/chat/completions", "application/json", strings.NewReader(body))
		if err == nil {
			data, _ := io.ReadAll(response.Body)
			_ = response.Body.Close()
			if bytes.Contains(data, []byte("[DONE]")) {
				t.Error("a reply that was cut looks complete")
			}
		}
	}()
	<-paused
	server.Close()
	<-ended
}

func TestTheContextEndsTheServer(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	server, err := Start(ctx, Options{})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	server.running.Wait()
	if _, err := http.Get(server.BaseURL + "/models"); err == nil {
		t.Error("the server still answers")
	}
}

func TestPiecesAreTheText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		joined := ""
		for piece := range pieces(text) {
			if piece == "" || utf8.ValidString(text) && !utf8.ValidString(piece) {
				t.Fatalf("piece %q of %q", piece, text)
			}
			joined += piece
		}
		if joined != text {
			t.Fatalf("%q became %q", text, joined)
		}
	})
}

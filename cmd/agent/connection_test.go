package main

import (
	"fmt"
	"strings"
	"testing"

	"agent/internal/llm"
	"agent/internal/settings"
)

// Who has not set a model is told which there are, unless there is only one.
func TestNoModelIsSet(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		offered int
		want    string
	}{
		{0, "no model is set; choose one with -m MODEL or /model MODEL"},
		{1, ""},
		{2, "the endpoint offers m1, m2; choose one"},
		{10, "m7, m8 and 2 more; choose one"},
	} {
		server := newModel(t)
		var models []string
		for i := range c.offered {
			models = append(models, fmt.Sprintf(`{"id":"m%d","object":"model"}`, i+1))
		}
		server.Answer("/v1/models", `{"object":"list","data":[`+strings.Join(models, ",")+`]}`)
		s := settings.New(newRegistry())
		if err := s.Set(settings.Flags, settings.BaseURL.Key(), server.URL); err != nil {
			t.Fatal(err)
		}
		connection := newConnection(s, world{environ: []string{"OPENAI_API_KEY=" + secret}})
		_, err := connection.provider()
		switch {
		case c.want == "" && (err != nil || settings.Model.Of(s) != "m1"):
			t.Errorf("with one model: model %q, %v", settings.Model.Of(s), err)
		case c.want != "" && (err == nil || exitStatus(err) != exitUsage || !strings.Contains(err.Error(), c.want)):
			t.Errorf("with %d models: %v, want %q", c.offered, err, c.want)
		}
		_ = connection.close()
	}
}

// The keyring is asked once a request, however often the window is looked at; a
// changed endpoint is noticed all the same.
func TestTheKeyIsLookedForOnce(t *testing.T) {
	t.Parallel()
	s := settings.New(newRegistry())
	set := func(key, value string) {
		if err := s.Set(settings.Session, key, value); err != nil {
			t.Fatal(err)
		}
	}
	window := func(tokens int) string {
		server := newModel(t)
		server.Answer("/v1/models", fmt.Sprintf(`{"object":"list","data":[{"id":"m","max_model_len":%d}]}`, tokens))
		return server.URL
	}
	first, second := window(1000), window(2000)
	asked := map[string]int{}
	connection := newConnection(s, world{})
	connection.keyring = func(baseURL string) llm.Key {
		asked[baseURL]++
		return secret
	}
	for _, url := range []string{first, second, first} {
		set(settings.BaseURL.Key(), url)
		set(settings.Model.Key(), "m")
		for range 10 {
			want := map[string]int{first: 1000, second: 2000}[url]
			if limit, known := connection.contextLimit("m"); !known || limit != want {
				t.Fatalf("%s: window %d, %t; want %d", url, limit, known, want)
			}
		}
	}
	if asked[first] != 2 || asked[second] != 1 {
		t.Errorf("the keyring was asked %v", asked)
	}
	_ = connection.close()
}

// An endpoint that answers when another is in use already chooses no model for it.
func TestLateAnswerChoosesNoModel(t *testing.T) {
	t.Parallel()
	server := newModel(t)
	server.Answer("/v1/models", `{"object":"list","data":[{"id":"theirs"}]}`)
	connection := newConnection(settings.New(newRegistry()), world{})
	left := &peer{client: llm.NewClient(llm.ClientConfig{BaseURL: server.URL, Key: secret}), asked: make(chan struct{})}
	connection.learn(left)
	if model := settings.Model.Of(connection.settings); model != "" || len(left.models) != 1 {
		t.Errorf("model %q of %v", model, left.models)
	}
	left.client.Close()
}

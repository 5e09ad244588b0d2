package main

import (
	"fmt"
	"strings"
	"testing"

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
		if err := s.Set(settings.Flags, settings.KeyBaseURL, server.URL); err != nil {
			t.Fatal(err)
		}
		connection := newConnection(s, world{environ: []string{"OPENAI_API_KEY=" + secret}})
		_, err := connection.provider()
		switch {
		case c.want == "" && (err != nil || s.Model() != "m1"):
			t.Errorf("with one model: model %q, %v", s.Model(), err)
		case c.want != "" && (err == nil || exitStatus(err) != exitUsage || !strings.Contains(err.Error(), c.want)):
			t.Errorf("with %d models: %v, want %q", c.offered, err, c.want)
		}
		_ = connection.close()
	}
}

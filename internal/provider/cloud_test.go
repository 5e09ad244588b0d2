package provider

import (
	"strings"
	"testing"

	"agent/internal/llm"
	"agent/internal/settings"

	"pgregory.net/rapid"
)

// TestCloudAddresses checks that the address of a cloud consists only of the names in the account.
func TestCloudAddresses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		provider string
		cloud    map[string]string
		env      map[string]string
		want     string // the address, or a part of the error
		command  string
	}{
		{"vertex", map[string]string{"project": "p-1", "region": "europe-west4"}, nil, "https://europe-west4-aiplatform.googleapis.com/v1/projects/p-1/locations/europe-west4/endpoints/openapi", "gcloud auth print-access-token"},
		{"vertex", nil, map[string]string{"GOOGLE_CLOUD_PROJECT": "p", "GOOGLE_CLOUD_LOCATION": "global"}, "https://aiplatform.googleapis.com/v1/projects/p/locations/global/endpoints/openapi", "gcloud auth print-access-token"},
		{"vertex", map[string]string{"project": "p"}, nil, "vertex needs a region", ""},
		{"vertex", map[string]string{"project": "p/../q", "region": "x"}, nil, "invalid project of vertex", ""},
		{"bedrock", nil, map[string]string{"AWS_REGION": "us-east-1"}, "https://bedrock-runtime.us-east-1.amazonaws.com/openai/v1", ""},
		{"bedrock", nil, map[string]string{"AWS_REGION": "evil.example/?"}, "invalid region of bedrock", ""},
		{"azure", map[string]string{"resource": "mine"}, map[string]string{"AZURE_OPENAI_ENDPOINT": "https://other.openai.azure.com/"}, "https://mine.openai.azure.com/openai/v1", "az account get-access-token"},
		{"azure", nil, map[string]string{"AZURE_OPENAI_ENDPOINT": "https://other.openai.azure.com/"}, "https://other.openai.azure.com/openai/v1", "az account get-access-token"},
		{"azure", nil, map[string]string{"AZURE_OPENAI_ENDPOINT": "http://other.openai.azure.com/"}, "is not an https address", ""},
		{"azure", nil, nil, "azure needs a resource: set cloud.resource, or AZURE_OPENAI_ENDPOINT", ""},
		{"azure", map[string]string{"resource": "mine"}, map[string]string{"AZURE_OPENAI_API_KEY": "a-key", "OPENAI_API_KEY": "another"}, "https://mine.openai.azure.com/openai/v1", ""},
	} {
		e, err := Resolve(EndpointSources{
			Provider: SettingChoice{tt.provider, settings.LayerFlags}, Env: func(name string) string { return tt.env[name] }, CloudSetting: func(name string) string { return tt.cloud[name] },
			Stored: func(string) (llm.Key, string) { return "", "" },
		})
		got := e.BaseURL
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, tt.want) || !strings.HasPrefix(e.Command, tt.command) || (e.Command == "") != (tt.command == "") || e.Key == "another" {
			t.Errorf("%+v: %s, %q, %q", tt, got, e.Command, string(e.Key))
		}
	}
}

// TestACommandIsNoKey (D-128) checks auth commands in all layers. A command is only used for the
// address in the same layer, never over plain http, and never together with an API key.
func TestACommandIsNoKey(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		layers := []settings.Source{settings.LayerProfile, settings.LayerEnvironment, settings.LayerFlags, settings.LayerSession}
		addresses := []string{"", "https://gateway.example/v1", "https://other.example/v1", "http://far.example/v1", "http://127.0.0.1:1/v1", "https://api.openai.com/v1"}
		providers := []string{"", "openai", "deepseek", "ollama", "bedrock"}
		sets := map[settings.Source][4]string{}
		for _, layer := range layers {
			sets[layer] = [4]string{
				rapid.SampledFrom(providers).Draw(t, "provider"), rapid.SampledFrom(addresses).Draw(t, "address"),
				rapid.SampledFrom([]string{"", "file"}).Draw(t, "file"), rapid.SampledFrom([]string{"", "command"}).Draw(t, "command"),
			}
		}
		upto := func(most settings.Source, what int) (c SettingChoice) {
			for _, layer := range layers {
				if text := sets[layer][what]; layer <= most && text != "" {
					c = SettingChoice{text, layer}
				}
			}
			return c
		}
		from := EndpointSources{
			Provider: upto(settings.LayerSession, 0), BaseURL: upto(settings.LayerSession, 1), KeyFile: upto(settings.LayerSession, 2), KeyCommand: upto(settings.LayerSession, 3),
			Upto: func(layer settings.Source) (SettingChoice, SettingChoice) { return upto(layer, 0), upto(layer, 1) },
			Env: func(name string) string {
				return map[string]string{"OPENAI_API_KEY": "sk-env", "DEEPSEEK_API_KEY": "sk-ds", "AWS_REGION": "r"}[name]
			},
			ReadKeyFile: func(string) (llm.Key, error) { return "sk-file", nil },
			Stored:      func(string) (llm.Key, string) { return "", "" },
		}
		e, err := Resolve(from)
		command := from.KeyCommand
		switch {
		case err != nil:
		case e.Command != "" && e.Key != "":
			t.Fatalf("a key beside a command: %+v", e)
		case e.Command != "" && !e.accepts(command.From, from):
			t.Fatalf("the command of the %s is used for %s of the %s", command.From, e.BaseURL, e.From)
		case e.Command != "" && isPlain(e.BaseURL):
			t.Fatalf("over plain http: %+v", e)
		case command.Text != "" && from.KeyFile.Text == "" && e.BaseURL != "" && e.accepts(command.From, from) && e.Key != "":
			t.Fatalf("a key was used where a command was meant: %+v", e)
		}
	})
}

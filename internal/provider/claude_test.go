package provider

import (
	"testing"

	"agent/internal/llm"
	"agent/internal/llm/openai"
	"agent/internal/settings"
)

// If no endpoint is set and the API key of the model's maker exists, the maker is used. The clouds
// have separate addresses for Anthropic models.
func TestEndpointsOfClaude(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		env             map[string]string
		provider, model string
		url, claude     string
	}{
		"by the model":       {env: map[string]string{"ANTHROPIC_API_KEY": "sk-ant-1"}, model: "claude-opus-5-5", url: "https://api.anthropic.com/v1"},
		"before OpenAI":      {env: map[string]string{"ANTHROPIC_API_KEY": "sk-ant-1", "OPENAI_API_KEY": "sk-1"}, model: "claude-opus-5-5", url: "https://api.anthropic.com/v1"},
		"another model":      {env: map[string]string{"ANTHROPIC_API_KEY": "sk-ant-1", "OPENAI_API_KEY": "sk-1"}, model: "gpt-6", url: "https://api.openai.com/v1"},
		"without its key":    {env: map[string]string{"OPENAI_API_KEY": "sk-1"}, model: "claude-opus-5-5", url: "https://api.openai.com/v1"},
		"Bedrock":            {env: map[string]string{"AWS_REGION": "us-east-1", "AWS_BEARER_TOKEN_BEDROCK": "token-1"}, provider: "bedrock", url: "https://bedrock-runtime.us-east-1.amazonaws.com/openai/v1", claude: "https://bedrock-mantle.us-east-1.api.aws/anthropic/v1"},
		"Vertex, everywhere": {env: map[string]string{"GOOGLE_CLOUD_LOCATION": "global", "GOOGLE_CLOUD_PROJECT": "p", "CLOUDSDK_AUTH_ACCESS_TOKEN": "token-1"}, provider: "vertex", url: "https://aiplatform.googleapis.com/v1/projects/p/locations/global/endpoints/openapi", claude: "https://aiplatform.googleapis.com/v1/projects/p/locations/global"},
		"Foundry":            {env: map[string]string{"ANTHROPIC_FOUNDRY_RESOURCE": "r", "ANTHROPIC_FOUNDRY_API_KEY": "key-1"}, provider: "foundry", url: "https://r.services.ai.azure.com/anthropic/v1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, err := Resolve(EndpointSources{Provider: SettingChoice{tt.provider, settings.LayerFlags}, Model: tt.model, Env: func(name string) string { return tt.env[name] }})
			if err != nil || e.BaseURL != tt.url || e.ClaudeURL != tt.claude || e.Key == llm.Key("") {
				t.Errorf("got %+v, %v", e, err)
			}
		})
	}
}

// The wire format depends on the setting api, then the vendor, then the model.
func TestSpeaksMessages(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		url, claude, model string
		api                openai.API
		want               bool
		provider           string
	}{
		{"https://api.anthropic.com/v1", "", "claude-opus-5-5", openai.APIAuto, true, ""},
		{"https://api.anthropic.com/v1", "", "claude-opus-5-5", openai.APIChat, false, ""},
		{"http://127.0.0.1:1/v1", "", "m", apiMessages, true, ""},
		{"http://127.0.0.1:1/v1", "", "claude-opus-5-5", openai.APIAuto, false, ""},
		{"http://127.0.0.1:1/v1", "", "claude-opus-5-5", openai.APIAuto, true, "anthropic"},
		{"http://127.0.0.1:1/v1", "", "claude-opus-5-5", openai.APIChat, false, "anthropic"},
		{"http://127.0.0.1:1/v1", "", "claude-opus-5-5", openai.APIAuto, false, "openrouter"},
		{"https://openrouter.ai/api/v1", "", "anthropic/claude-opus-5-5", openai.APIAuto, false, ""},
		{"https://cloud.example/v1", "https://claude.example", "anthropic.claude-opus-5-5", openai.APIAuto, true, ""},
		{"https://cloud.example/v1", "https://claude.example", "openai.gpt-oss-120b", openai.APIAuto, false, ""},
	} {
		p := &peer{endpoint: Endpoint{BaseURL: tt.url, ClaudeURL: tt.claude, Provider: tt.provider}, extras: extras{api: tt.api}}
		if got := p.speaksMessages(tt.model); got != tt.want {
			t.Errorf("%+v: %v", tt, got)
		}
	}
}

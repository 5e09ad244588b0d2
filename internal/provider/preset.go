package provider

import (
	"net/url"
	"slices"
	"strings"

	"agent/internal/llm"
)

// Preset is what is known of an endpoint by its name.
type Preset struct {
	// Name is what a user writes, Title what the vendor writes.
	Name, Title string
	BaseURL     string
	// KeyVariable is the environment variable of its key; empty for servers of one's
	// own, which need none.
	KeyVariable string
	// Catalogue is its name in the catalogue of models, empty when it has none.
	Catalogue string
}

// Local reports whether the endpoint is a server on this machine.
func (p Preset) Local() bool { return p.KeyVariable == "" }

// keyHelp says where its key comes from, "" where it needs none.
func (p Preset) keyHelp() string {
	if p.Local() {
		return ""
	}
	return p.KeyVariable + ", agent login " + p.Name
}

var presets = []Preset{
	{Name: "openai", Title: "OpenAI", BaseURL: "https://api.openai.com/v1", KeyVariable: llm.EnvKey, Catalogue: "openai"},
	{Name: "openrouter", Title: "OpenRouter", BaseURL: "https://openrouter.ai/api/v1", KeyVariable: "OPENROUTER_API_KEY", Catalogue: "openrouter"},
	{Name: "anthropic", Title: "Anthropic", BaseURL: "https://api.anthropic.com/v1", KeyVariable: "ANTHROPIC_API_KEY", Catalogue: "anthropic"},
	{Name: "gemini", Title: "Google Gemini", BaseURL: "https://generativelanguage.googleapis.com/v1beta/openai", KeyVariable: "GEMINI_API_KEY", Catalogue: "gemini"},
	{Name: "deepseek", Title: "DeepSeek", BaseURL: "https://api.deepseek.com/v1", KeyVariable: "DEEPSEEK_API_KEY", Catalogue: "deepseek"},
	{Name: "xai", Title: "xAI", BaseURL: "https://api.x.ai/v1", KeyVariable: "XAI_API_KEY", Catalogue: "xai"},
	{Name: "groq", Title: "Groq", BaseURL: "https://api.groq.com/openai/v1", KeyVariable: "GROQ_API_KEY", Catalogue: "groq"},
	{Name: "mistral", Title: "Mistral", BaseURL: "https://api.mistral.ai/v1", KeyVariable: "MISTRAL_API_KEY"},
	{Name: "zai", Title: "Z.AI", BaseURL: "https://api.z.ai/api/paas/v4", KeyVariable: "ZAI_API_KEY", Catalogue: "zai"},
	{Name: "moonshot", Title: "Moonshot", BaseURL: "https://api.moonshot.ai/v1", KeyVariable: "MOONSHOT_API_KEY", Catalogue: "moonshot"},
	{Name: "minimax", Title: "MiniMax", BaseURL: "https://api.minimax.io/v1", KeyVariable: "MINIMAX_API_KEY", Catalogue: "minimax"},
	{Name: "alibaba", Title: "Alibaba", BaseURL: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1", KeyVariable: "DASHSCOPE_API_KEY", Catalogue: "alibaba-singapore"},
	{Name: "ollama", Title: ollama, BaseURL: "http://127.0.0.1:11434/v1"},
	{Name: "lmstudio", Title: lmStudio, BaseURL: "http://127.0.0.1:1234/v1"},
	{Name: "llamacpp", Title: llamaCpp, BaseURL: "http://127.0.0.1:8080/v1"},
	{Name: "vllm", Title: vLLM, BaseURL: "http://127.0.0.1:8000/v1"},
}

// Names returns the names of all presets.
func Names() []string {
	names := make([]string, len(presets))
	for i, p := range presets {
		names[i] = p.Name
	}
	return names
}

// Named returns the preset of a name.
func Named(name string) (Preset, bool) {
	i := slices.IndexFunc(presets, func(p Preset) bool { return strings.EqualFold(p.Name, name) })
	if i < 0 {
		return Preset{}, false
	}
	return presets[i], true
}

// presetAt returns the preset of a vendor whose host a base URL names. Only over
// https is it that vendor; who listens on a port of this machine is not known.
func presetAt(baseURL string) (Preset, bool) {
	u, err := url.Parse(baseURL)
	if err != nil || u.Scheme != "https" {
		return Preset{}, false
	}
	for _, p := range presets {
		if !p.Local() && hostOf(p.BaseURL) == strings.ToLower(u.Host) {
			return p, true
		}
	}
	return Preset{}, false
}

// isVendor reports whether a base URL names the host of a vendor, whatever its scheme
// and port.
func isVendor(baseURL string) bool {
	u, err := url.Parse(baseURL)
	if err != nil {
		return false
	}
	name := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	return slices.ContainsFunc(presets, func(p Preset) bool { return !p.Local() && hostOf(p.BaseURL) == name })
}

// hostOf is the host of a base URL with its port, in lower case.
func hostOf(baseURL string) string {
	u, err := url.Parse(baseURL)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Host)
}

package vendor

import "strings"

// vendors lists the vendors with a name. To add one, add a value.
var vendors = []Vendor{
	{
		Name: "openai", Title: "OpenAI", BaseURL: "https://api.openai.com/v1", KeyVariable: EnvKey, Catalogue: "openai",
		domains: []string{"api.openai.com"},
		wants:   Wants{CacheKey: true, Documents: true, Search: SearchResponses},
		adjust: func(model string, w *Wants) {
			generation := openAIGeneration(model)
			w.Responses, w.Breakpoint = generation == oSeries || generation >= gpt54, generation >= gpt56
		},
	},
	{
		Name: "openrouter", Title: "OpenRouter", BaseURL: "https://openrouter.ai/api/v1", KeyVariable: "OPENROUTER_API_KEY", Catalogue: "openrouter",
		domains:    []string{"openrouter.ai"},
		translates: true,
		wants:      Wants{Title: true, Thoughts: true, CacheKey: true, SessionID: true, Documents: true, Search: SearchOpenRouter},
		adjust: func(model string, w *Wants) {
			w.Breakpoint = openAIGeneration(model) >= gpt56
			w.CacheMarks = strings.HasPrefix(model, "claude") || strings.HasPrefix(model, "qwen")
		},
	},
	{
		Name: "anthropic", Title: "Anthropic", BaseURL: "https://api.anthropic.com/v1", KeyVariable: "ANTHROPIC_API_KEY", Catalogue: "anthropic",
		domains: []string{"anthropic.com"}, serves: "claude",
		wants: Wants{Messages: true, Documents: true, Search: SearchMessages},
		// The vendor's endpoint for chat completions does not support marks.
		adjust: func(_ string, w *Wants) { w.CacheMarks = false },
	},
	{
		Name: "gemini", Title: "Google Gemini", BaseURL: "https://generativelanguage.googleapis.com/v1beta/openai", KeyVariable: "GEMINI_API_KEY", Catalogue: "gemini",
		domains: []string{"googleapis.com"},
		adjust: func(model string, w *Wants) {
			// Gemini 3 and later refuse calls without a thought signature.
			w.Signatures = !strings.HasPrefix(model, "gemini-1") && !strings.HasPrefix(model, "gemini-2")
			w.CacheMarks = false
		},
	},
	{
		Name: "deepseek", Title: "DeepSeek", BaseURL: "https://api.deepseek.com/v1", KeyVariable: "DEEPSEEK_API_KEY", Catalogue: "deepseek",
		domains: []string{"deepseek.com"}, serves: "deepseek",
		wants: Wants{Reasoning: ReasoningContent},
	},
	{
		Name: "xai", Title: "xAI", BaseURL: "https://api.x.ai/v1", KeyVariable: "XAI_API_KEY", Catalogue: "xai",
		domains: []string{"x.ai"}, serves: "grok",
		wants: Wants{Search: SearchResponses},
	},
	{
		Name: "groq", Title: "Groq", BaseURL: "https://api.groq.com/openai/v1", KeyVariable: "GROQ_API_KEY", Catalogue: "groq",
	},
	{
		Name: "mistral", Title: "Mistral", BaseURL: "https://api.mistral.ai/v1", KeyVariable: "MISTRAL_API_KEY", Catalogue: "mistral",
		domains: []string{"mistral.ai"}, serves: "mistral",
		wants:  Wants{CallIDs: NineIDs, AnswersTools: true, ReportsUsage: true},
		adjust: func(_ string, w *Wants) { w.CallIDs = NineIDs },
	},
	{
		Name: "zai", Title: "Z.AI", BaseURL: "https://api.z.ai/api/paas/v4", KeyVariable: "ZAI_API_KEY", Catalogue: "zai",
		domains: []string{"z.ai", "bigmodel.cn"}, serves: "glm",
		wants: Wants{Reasoning: ReasoningContent},
	},
	{
		Name: "moonshot", Title: "Moonshot", BaseURL: "https://api.moonshot.ai/v1", KeyVariable: "MOONSHOT_API_KEY", Catalogue: "moonshot",
		domains: []string{"moonshot.ai", "moonshot.cn"}, serves: "kimi",
		wants: Wants{CallIDs: AnyIDs, Reasoning: ReasoningContent},
	},
	{
		Name: "minimax", Title: "MiniMax", BaseURL: "https://api.minimax.io/v1", KeyVariable: "MINIMAX_API_KEY", Catalogue: "minimax",
		domains: []string{"minimax.io", "minimaxi.com", "minimax.chat"}, serves: "minimax",
		wants: Wants{Reasoning: ReasoningContent},
	},
	{
		Name: "alibaba", Title: "Alibaba", BaseURL: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1", KeyVariable: "DASHSCOPE_API_KEY", Catalogue: "alibaba-singapore",
		domains: []string{"aliyuncs.com"},
		wants:   Wants{Reasoning: ReasoningContent},
		adjust: func(model string, w *Wants) {
			w.CacheMarks = w.CacheMarks || strings.HasPrefix(model, "qwen")
		},
	},
	{
		Name: "vertex", Title: "Google Vertex AI", KeyVariable: "CLOUDSDK_AUTH_ACCESS_TOKEN", Catalogue: "vertexai",
		Cloud: &Cloud{
			Address:   "https://{region}-aiplatform.googleapis.com/v1/projects/{project}/locations/{region}/endpoints/openapi",
			Global:    "https://aiplatform.googleapis.com/v1/projects/{project}/locations/global/endpoints/openapi",
			Variables: map[string][]string{"project": {"GOOGLE_CLOUD_PROJECT", "CLOUDSDK_CORE_PROJECT"}, "region": {"GOOGLE_CLOUD_LOCATION", "GOOGLE_CLOUD_REGION"}},
			Command:   "gcloud auth print-access-token",

			Claude:       "https://{region}-aiplatform.googleapis.com/v1/projects/{project}/locations/{region}",
			ClaudeGlobal: "https://aiplatform.googleapis.com/v1/projects/{project}/locations/global",
		},
	},
	{
		Name: "bedrock", Title: "Amazon Bedrock", KeyVariable: "AWS_BEARER_TOKEN_BEDROCK", Catalogue: "bedrock",
		Cloud: &Cloud{
			Address:   "https://bedrock-runtime.{region}.amazonaws.com/openai/v1",
			Variables: map[string][]string{"region": {"AWS_REGION", "AWS_DEFAULT_REGION"}},

			Claude: "https://bedrock-mantle.{region}.api.aws/anthropic/v1",
		},
	},
	{
		Name: "foundry", Title: "Microsoft Foundry", KeyVariable: "ANTHROPIC_FOUNDRY_API_KEY",
		domains: []string{"services.ai.azure.com"}, serves: "claude",
		wants:  Wants{Messages: true, Documents: true, Search: SearchMessages},
		adjust: func(_ string, w *Wants) { w.CacheMarks = false },
		Cloud: &Cloud{
			Address:   "https://{resource}.services.ai.azure.com/anthropic/v1",
			Variables: map[string][]string{"resource": {"ANTHROPIC_FOUNDRY_RESOURCE"}},
			Endpoint:  "ANTHROPIC_FOUNDRY_BASE_URL", Path: "/anthropic/v1",
			Command: "az account get-access-token --resource https://cognitiveservices.azure.com --query accessToken --output tsv",
		},
	},
	{
		Name: "azure", Title: "Azure OpenAI", KeyVariable: "AZURE_OPENAI_API_KEY", Catalogue: "azure",
		Cloud: &Cloud{
			Address:  "https://{resource}.openai.azure.com/openai/v1",
			Endpoint: "AZURE_OPENAI_ENDPOINT", Path: "/openai/v1",
			Command: "az account get-access-token --resource https://cognitiveservices.azure.com --query accessToken --output tsv",
		},
	},
	{
		Name: "chatgpt", Title: "ChatGPT", BaseURL: "https://chatgpt.com/backend-api/codex", Account: true, Catalogue: "openai",
		domains: []string{"chatgpt.com"}, serves: "gpt",
		wants: Wants{CacheKey: true, Responses: true, Instructions: true, Search: SearchResponses},
	},
	{
		Name: "github-copilot", Title: "GitHub Copilot", BaseURL: "https://api.githubcopilot.com", Account: true, Catalogue: "copilot",
		domains: []string{"githubcopilot.com"}, translates: true,
	},
	{Name: "qwen", Title: "Qwen", BaseURL: "https://portal.qwen.ai/v1", Account: true, domains: []string{"portal.qwen.ai"}, serves: "qwen"},
	{Name: "kimi", Title: "Kimi", BaseURL: "https://api.kimi.com/coding/v1", Account: true, domains: []string{"kimi.com"}, serves: "kimi", wants: Wants{CallIDs: AnyIDs, Reasoning: ReasoningContent}},
	{Name: "ollama", Title: Ollama, BaseURL: "http://127.0.0.1:11434/v1"},
	{Name: "lmstudio", Title: LMStudio, BaseURL: "http://127.0.0.1:1234/v1"},
	{Name: "llamacpp", Title: LlamaCpp, BaseURL: "http://127.0.0.1:8080/v1"},
	{Name: "vllm", Title: VLLM, BaseURL: "http://127.0.0.1:8000/v1"},
}

// The titles of servers that users run themselves.
const (
	Ollama   = "Ollama"
	LlamaCpp = "llama.cpp"
	LMStudio = "LM Studio"
	VLLM     = "vLLM"
	LiteLLM  = "LiteLLM"
)

// ownServer describes any server on this machine or in its local network. Such a server translates
// requests by the template of the model.
var ownServer = Vendor{translates: true}

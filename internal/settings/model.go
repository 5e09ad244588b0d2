package settings

import "time"

// StopAtLimit is the value of OnLimit that ends the turn.
const StopAtLimit = "stop"

// The settings of the model, the endpoint and the parameters of a request.
var (
	Model = Optional("model", Word(), "the endpoint's model, if it has only one",
		"model that answers")
	// Provider is the name of a vendor. It determines the address, the variable with the API key
	// and the special features of requests. NewRegistry gets the valid names in Choices.
	Provider = Optional("provider", Enum(), "base-url decides",
		"model provider; base-url has precedence")
	BaseURL = Optional("base-url", URL(), "a local server, if one responds",
		"address of the OpenAI-compatible endpoint, including /v1").from("OPENAI_BASE_URL")
	// AuthKeyfile is the path of the file with the API key. The key itself is never a setting.
	AuthKeyfile = Optional("auth-keyfile", Path(), "the provider's environment variable, then the keyring",
		"file with the API key (mode 0600)")
	// AuthCommand is a command that prints a token, for expiring credentials.
	AuthCommand = Optional("auth-command", Line(), "none",
		"command that prints the API key or JSON {token, expires_at, headers}; runs outside the sandbox")
	AuthCommandLife = Declare("auth-command-life", Duration(time.Second, 24*time.Hour), 10*time.Minute,
		"lifetime of an API key from auth-command if it has no expires_at")
	// Login selects one of several logins to the provider's account.
	Login = Optional("login", Word(), "the login without a name",
		"login to use, if you have several (agent login PROVIDER --as NAME)")
	LoginClientID = Optional("login.client-id", Word(), "none",
		"client ID from the vendor, for logins that need one")
	// Fallback lists profiles. Their models answer while the first model fails.
	Fallback = Optional("fallback", ProfileNames(), "none",
		"profiles to try in this order if the model fails; each turn begins with the first model")
	// OnLimit is stop, or the name of a profile.
	OnLimit = Declare("on-limit", Word(), StopAtLimit,
		"action at the limit of a subscription: a profile to use, or stop")
	CloudProject = Optional("cloud.project", Word(), "GOOGLE_CLOUD_PROJECT",
		"Google Cloud project of the provider vertex")
	CloudRegion = Optional("cloud.region", Word(), "GOOGLE_CLOUD_LOCATION, AWS_REGION",
		"region of the providers vertex and bedrock")
	CloudResource = Optional("cloud.resource", Word(), "the host of AZURE_OPENAI_ENDPOINT",
		"resource of the provider azure")
	ContextLimit = Optional("context-limit", Tokens(AtLeast(1, "above 0")), "the model's, otherwise 128000",
		"size of the context window in tokens", "context.limit")
	// MaxOutputTokens is the greatest number of tokens of one reply (D-08).
	MaxOutputTokens = Optional("max-output-tokens", Tokens(AtLeast(1, "above 0")), "the provider's",
		"maximum tokens of one reply, reserved in the context window")
	Temperature = Optional("temperature", Number(UpTo(2, "from 0 to 2")), "not sent",
		"randomness of the model; 0 is the most repeatable")
	TopP = Optional("top_p", Number(UpTo(1, "above 0 and up to 1").ExcludingLow()), "not sent",
		"choose only from the likeliest tokens that together have this probability")
	ReasoningEffort = Optional("reasoning.effort", Enum("none", "minimal", "low", "medium", "high", "xhigh", "max"), "not sent",
		"reasoning effort: how long the model thinks before it answers")
	ReasoningReplay = Declare("reasoning.replay", Enum("auto", "always", "never"), "auto",
		"send the model's reasoning back in later requests; auto: if the vendor requires it")
	API = Declare("api", Enum("auto", "chat", "responses", "messages"), "auto",
		"API of the endpoint; auto: by model")
	// ThinkingDisplay selects the form in which the Messages API returns thinking.
	ThinkingDisplay = Declare("thinking-display", Enum("summarized", "omitted", "auto"), "summarized",
		"reasoning shown by Anthropic models: a summary, none, or the model's choice (auto)")
	ExtraBody = Optional("extra-body", Object(
		"authorization", "messages", "input", "tools", "functions", "model", "stream", "n",
		"previous_response_id", "conversation", "background",
	), "none",
		"JSON object to add to every request")
)

// The values of CacheWarming.
const (
	CacheWarmingOff     = "off"
	CacheWarmingWorking = "working"
	CacheWarmingIdle    = "idle"
)

// The settings of the provider's prompt cache.
var (
	PromptCache = Declare("prompt-cache", Enum("auto", "off", "5m", "1h"), "auto",
		"ask the provider to cache the prompt, and for how long")
	// CacheWarming determines when the latest request is sent again, only to keep the prompt in the
	// cache.
	CacheWarming = Declare("cache-warming", Enum(CacheWarmingOff, CacheWarmingWorking, CacheWarmingIdle), CacheWarmingWorking,
		"keep the provider's cache warm if that lowers the cost: off, working (during turns and questions), idle (also between turns)")
	// CacheKind is the method by which the provider finds a prompt in its cache (D-95).
	CacheKind = Declare("cache-kind", Enum("auto", "prefix", "marks", "none"), "auto",
		"how the provider finds a prompt in its cache: prefix (any common prefix), marks (marked prefixes), none; auto: by provider")
	// ReasoningBound determines whether reasoning is lost when earlier entries change.
	ReasoningBound = Declare("reasoning-bound", Enum("auto", "true", "false"), "auto",
		"whether the model drops its reasoning after pruning; if true, pruning waits for the end of the turn", "bound")
	// CacheLife is the time for which the provider keeps a prompt in its cache. 0 means the known
	// time (D-95).
	CacheLife = Declare("cache-life", DurationOrAuto(time.Second, 48*time.Hour), 0,
		"lifetime of the provider's cache after the last use; auto: by provider and observation")
)

// The timeouts and retries of requests.
var (
	RequestTimeout = Declare("request-timeout", Duration(time.Second, 24*time.Hour), 5*time.Minute,
		"timeout for the first piece of a reply; doubled while the server sends keep-alives")
	IdleTimeout = Declare("idle-timeout", Duration(time.Second, 24*time.Hour), 2*time.Minute,
		"timeout between two pieces of a reply")
	MaxRetries = Declare("max-retries", Int(UpTo(100, "from 0 to 100")), 8,
		"maximum retries of a failed request")
)

// The values of the setting EditTool.
const (
	EditAuto    = "auto"
	EditPatch   = "patch"
	EditReplace = "replace"
)

// The values of the setting Tools.
const (
	FewTools = "few"
	AllTools = "all"
)

// The values of the setting edit-tolerance.
const (
	TolerateIndent = "indent"
	TolerateNone   = "exact"
)

// The settings for edits by the model.
var (
	// ModelFamily is the family of the model. It determines the edit tool and the hints in the prompt.
	// NewRegistry gets the valid names in Choices.
	ModelFamily = Declare("model-family", Enum("auto"), "auto",
		"model family, which selects the edit tool and hints in the prompt; auto: by model name")
	EditTool = Declare("edit-tool", Enum(EditAuto, EditPatch, EditReplace), EditAuto,
		"how the model edits files: patch or replace; auto: by model family")
	Tools = Declare("tools", Enum(FewTools, AllTools), FewTools,
		"tools that the model gets: few, or all, including rarely used ones")
	EditTolerance = Declare("edit-tolerance", Enum(TolerateIndent, TolerateNone), TolerateIndent,
		"how exactly the quoted text of an edit must match: indent tolerates other indentation, exact does not")
)

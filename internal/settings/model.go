package settings

import "time"

// StopAtLimit is the value of OnLimit that ends the turn.
const StopAtLimit = "stop"

// The model, the endpoint and the parameters of a request.
var (
	Model = Optional("model", Word(), "the endpoint's only model",
		"the model that answers")
	// Provider is the name of a vendor. It determines the address, the variable of the key and the
	// peculiarities of requests. Choices has the names.
	Provider = Optional("provider", Enum(), "base-url decides",
		"whose models answer, by name; base-url goes first")
	BaseURL = Optional("base-url", URL(), "a local server if one answers",
		"address of the OpenAI-compatible endpoint, up to and with /v1").from("OPENAI_BASE_URL")
	// AuthKeyfile is the path of the file with the API key; the key itself is never a
	// setting.
	AuthKeyfile = Optional("auth-keyfile", Path(), "the provider's variable, then the keyring",
		"file that holds the API key (mode 0600)")
	// AuthCommand is a command that prints a token, for keys that end.
	AuthCommand = Optional("auth-command", Line(), "none",
		"command that prints the key, or JSON {token, expires_at, headers}; it runs outside of the sandbox and belongs to the address set beside it")
	AuthCommandLife = Declare("auth-command-life", Duration(time.Second, 24*time.Hour), 10*time.Minute,
		"how long a key of auth-command counts that does not say when it ends")
	// Login names one of several logins to the account of the provider.
	Login = Optional("login", Word(), "the login without a name",
		"name of the login to use (agent login PROVIDER --as NAME), where there are several")
	LoginClientID = Optional("login.client-id", Word(), "none",
		"client id that a vendor gave you for this program, for logins that need one")
	// Fallback lists profiles whose models answer while the first one fails.
	Fallback = Optional("fallback", Profiles(), "none",
		"profiles that answer, in this order, while the model fails or refuses the login; each turn begins with the first model")
	// OnLimit is stop, or the name of a profile.
	OnLimit = Declare("on-limit", Word(), StopAtLimit,
		"fallback at the limit of a subscription only: the name of a profile, or stop")
	CloudProject = Optional("cloud.project", Word(), "GOOGLE_CLOUD_PROJECT",
		"project whose models the provider vertex serves")
	CloudRegion = Optional("cloud.region", Word(), "GOOGLE_CLOUD_LOCATION, AWS_REGION",
		"region of the providers vertex and bedrock")
	CloudResource = Optional("cloud.resource", Word(), "the host of AZURE_OPENAI_ENDPOINT",
		"resource of the provider azure")
	ContextLimit = Optional("context-limit", Int(AtLeast(1, "above 0")), "the model's, else 128000",
		"size of the context window in tokens", "context.limit")
	// MaxOutputTokens bounds the tokens of one reply (D-08).
	MaxOutputTokens = Optional("max-output-tokens", Int(AtLeast(1, "above 0")), "the provider's",
		"most tokens of one reply, also kept free in the window")
	Temperature = Optional("temperature", Number(UpTo(2, "from 0 to 2")), "not sent",
		"how freely the model chooses its words; 0 is the most repeatable")
	TopP = Optional("top_p", Number(UpTo(1, "above 0 and up to 1").WithoutLow()), "not sent",
		"share of the likeliest words the model chooses from")
	ReasoningEffort = Optional("reasoning.effort", Enum("none", "minimal", "low", "medium", "high", "xhigh", "max"), "not sent",
		"how long a reasoning model thinks before it answers")
	ReasoningReplay = Declare("reasoning.replay", Enum("auto", "always", "never"), "auto",
		"send a model's reasoning back to it; auto does where the vendor wants it")
	API = Declare("api", Enum("auto", "chat", "responses", "messages"), "auto",
		"wire format: chat completions, OpenAI's Responses API or Anthropic's Messages API; auto knows which models need which")
	// ThinkingDisplay chooses the form in which the Messages API returns thinking.
	ThinkingDisplay = Declare("thinking-display", Enum("summarized", "omitted", "auto"), "summarized",
		"how models of Anthropic show their thinking: as a summary, not at all, or as the model itself chooses (auto)")
	ExtraBody = Optional("extra-body", Object(
		"authorization", "messages", "input", "tools", "functions", "model", "stream", "n",
		"previous_response_id", "conversation", "background",
	), "none",
		"JSON object whose members are added to every request")
)

// The provider's prompt cache.
var (
	PromptCache = Declare("prompt-cache", Enum("auto", "off", "5m", "1h"), "auto",
		"ask the provider to keep the prompt in its cache, and how long where it lets one choose")
	// CacheKind says how the provider finds a prompt in its cache (D-95).
	CacheKind = Declare("cache-kind", Enum("auto", "prefix", "marks", "none"), "auto",
		"how the provider finds what it has cached: any common beginning, or only what ended at a mark; auto is what is known of it")
	// ReasoningBound says whether reasoning is lost once the past changes.
	ReasoningBound = Declare("reasoning-bound", Enum("auto", "true", "false"), "auto",
		"whether the model drops its reasoning once the past changes, so that pruning waits for the end of a turn; auto is what is known of it", "bound")
	// CacheLife is the time that the provider keeps a prompt in its cache; 0 means the known time
	// (D-95).
	CacheLife = Declare("cache-life", DurationOrAuto(time.Second, 48*time.Hour), 0,
		"how long the provider keeps what it has cached after the latest use; auto is what is known of it, and what its reports teach")
)

// Timeouts and retries of requests.
var (
	RequestTimeout = Declare("request-timeout", Duration(time.Second, 24*time.Hour), 5*time.Minute,
		"how long to wait for the first piece of a reply; twice as long for each piece while keep-alives come")
	IdleTimeout = Declare("idle-timeout", Duration(time.Second, 24*time.Hour), 2*time.Minute,
		"how long a reply that has begun may be silent")
	MaxRetries = Declare("max-retries", Int(UpTo(100, "from 0 to 100")), 8,
		"how often a request that failed is made again")
)

// The values of EditTool.
const (
	EditAuto    = "auto"
	EditPatch   = "patch"
	EditReplace = "replace"
)

// The values of Tools.
const (
	FewTools = "few"
	AllTools = "all"
)

// The values of edit-tolerance.
const (
	TolerateIndent = "indent"
	TolerateNone   = "exact"
)

// How the model edits files.
var (
	// ModelFamily is the family whose tools and hints a model gets. Choices has the names.
	ModelFamily = Declare("model-family", Enum("auto"), "auto",
		"family of models whose edit tool and hints the model gets; auto goes by its name. Counts from /clear or another model on")
	EditTool = Declare("edit-tool", Enum(EditAuto, EditPatch, EditReplace), EditAuto,
		"how the model edits: by patches, or by replacing text; auto goes by its family. Counts from /clear or another model on")
	Tools = Declare("tools", Enum(FewTools, AllTools), FewTools,
		"how many tools the model is offered: few, or also those that models seldom call. Counts from /clear or another model on")
	EditTolerance = Declare("edit-tolerance", Enum(TolerateIndent, TolerateNone), TolerateIndent,
		"what may differ between text that an edit quotes and the file: the indentation of whole lines at one place only, or nothing (exact)")
)

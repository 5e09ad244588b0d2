package settings

import "time"

// Model is the name of the model that answers.
var Model = Optional("model", Word(), "the endpoint's only model",
	"the model that answers")

// Provider is the name of a preset: an address, the variable of its key, and what
// else is particular to it. The names are given by Choices.
var Provider = Optional("provider", Enum(), "base-url decides",
	"whose models answer, by name; base-url goes first")

// ExtraBody is added to the body of every request for a reply.
var ExtraBody = Optional("extra-body", Object(
	"authorization", "messages", "input", "tools", "functions", "model", "stream", "n",
	"previous_response_id", "conversation", "background",
), "none",
	"JSON object whose members are added to every request")

// BaseURL is the endpoint's address.
var BaseURL = Optional("base-url", URL(), "a local server if one answers",
	"address of the OpenAI-compatible endpoint, up to and with /v1").from("OPENAI_BASE_URL")

// AuthKeyfile is the path of the file with the API key; the key itself is never a
// setting.
var AuthKeyfile = Optional("auth-keyfile", Path(), "the provider's variable, then the keyring",
	"file that holds the API key (mode 0600)")

// ContextLimit is the size of the context window in tokens; unset, the model
// decides.
var ContextLimit = Optional("context-limit", Int(AtLeast(1, "above 0")), "the model's, else 128000",
	"size of the context window in tokens", "context.limit")

// MaxOutputTokens is the most tokens of one reply (D-08).
var MaxOutputTokens = Optional("max-output-tokens", Int(AtLeast(1, "above 0")), "the provider's",
	"most tokens of one reply, also kept free in the window")

// Temperature is the sampling temperature; unset, it is not sent.
var Temperature = Optional("temperature", Number(Between(0, 2, "from 0 to 2")), "not sent",
	"how freely the model chooses its words; 0 is the most repeatable")

// TopP is the nucleus share; unset, it is not sent.
var TopP = Optional("top_p", Number(Between(0, 1, "above 0 and up to 1").WithoutLow()), "not sent",
	"share of the likeliest words the model chooses from")

// ReasoningEffort is how long a reasoning model thinks; unset, it is not sent.
var ReasoningEffort = Optional("reasoning.effort", Enum("none", "minimal", "low", "medium", "high", "xhigh", "max"), "not sent",
	"how long a reasoning model thinks before it answers")

// ReasoningReplay says whether a model's reasoning is sent back to it.
var ReasoningReplay = Declare("reasoning.replay", Enum("auto", "always", "never"), "auto",
	"send a model's reasoning back to it; auto does where the vendor wants it")

// PromptCache says whether the provider is asked to keep the prompt in its cache.
var PromptCache = Declare("prompt-cache", Enum("auto", "off", "5m", "1h"), "auto",
	"ask the provider to keep the prompt in its cache, and how long where it lets one choose")

// CacheKind is how the provider finds what it has cached (D-95).
var CacheKind = Declare("cache-kind", Enum("auto", "prefix", "marks", "none"), "auto",
	"how the provider finds what it has cached: any common beginning, or only what ended at a mark; auto is what is known of it")

// CacheLife is how long the provider keeps what it has cached; 0 is what is known (D-95).
var CacheLife = Declare("cache-life", DurationOrAuto(time.Second, 48*time.Hour), 0,
	"how long the provider keeps what it has cached after the latest use; auto is what is known of it, and what its reports teach")

// RequestTimeout is how long a model may take until the first piece of a reply and
// between two of them.
var RequestTimeout = Declare("request-timeout", Duration(time.Second, 24*time.Hour), 5*time.Minute,
	"how long to wait for the first piece of a reply, and between two while only keep-alives come")

// IdleTimeout is how long a reply that has begun may be silent.
var IdleTimeout = Declare("idle-timeout", Duration(time.Second, 24*time.Hour), 2*time.Minute,
	"how long a reply that has begun may be silent")

// MaxRetries is how often a request that failed is made again.
var MaxRetries = Declare("max-retries", Int(Between(0, 100, "from 0 to 100")), 8,
	"how often a request that failed is made again")

// API is the wire format of requests.
var API = Declare("api", Enum("auto", "chat", "responses"), "auto",
	"wire format: chat completions or OpenAI's Responses API; auto knows which models need which")

// ModelFamily is the family whose tools and words a model gets. The names are given by
// Choices.
var ModelFamily = Declare("model-family", Enum("auto"), "auto",
	"family of models whose edit tool and hints the model gets; auto goes by its name. Counts from /clear or another model on")

// The values of EditTool.
const (
	EditAuto    = "auto"
	EditPatch   = "patch"
	EditReplace = "replace"
)

// EditTool is the form in which the model edits files.
var EditTool = Declare("edit-tool", Enum(EditAuto, EditPatch, EditReplace), EditAuto,
	"how the model edits: by patches, or by replacing text; auto goes by its family. Counts from /clear or another model on")

// The values of edit-tolerance.
const (
	TolerateIndent = "indent"
	TolerateNone   = "exact"
)

// EditTolerance is by what quoted text may differ from a file for an edit to be made.
var EditTolerance = Declare("edit-tolerance", Enum(TolerateIndent, TolerateNone), TolerateIndent,
	"what may differ between text that an edit quotes and the file: the indentation of whole lines at one place only, or nothing (exact)")

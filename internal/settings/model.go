package settings

import "time"

// Model is the name of the model that answers.
var Model = Optional(Word(), Spec{
	Key: "model", Unset: "the endpoint's only model",
	Help:     "the model that answers",
	Category: CategoryModel,
})

// Provider is the name of a preset: an address, the variable of its key, and what
// else is particular to it. The names are given by Choices.
var Provider = Optional(Enum(), Spec{
	Key: "provider", Unset: "base-url decides",
	Help:     "whose models answer, by name; base-url goes first",
	Category: CategoryModel,
})

// ExtraBody is added to the body of every request for a reply.
var ExtraBody = Optional(Object(
	"authorization", "messages", "input", "tools", "functions", "model", "stream", "n",
	"previous_response_id", "conversation", "background",
), Spec{
	Key: "extra-body", Unset: "none",
	Help:     "JSON object whose members are added to every request",
	Category: CategoryModel,
})

// BaseURL is the endpoint's address.
var BaseURL = Optional(URL(), Spec{
	Key: "base-url", Unset: "a local server if one answers", Environment: "OPENAI_BASE_URL",
	Help:     "address of the OpenAI-compatible endpoint, up to and with /v1",
	Category: CategoryModel,
})

// AuthKeyfile is the path of the file with the API key; the key itself is never a
// setting.
var AuthKeyfile = Optional(Path(), Spec{
	Key: "auth-keyfile", Unset: "the provider's variable, then the keyring",
	Help:     "file that holds the API key (mode 0600)",
	Category: CategoryModel,
})

// ContextLimit is the size of the context window in tokens; unset, the model
// decides.
var ContextLimit = Optional(Int(AtLeast(1, "above 0")), Spec{
	Key: "context-limit", Aliases: []string{"context.limit"}, Unset: "the model's, else 128000",
	Help:     "size of the context window in tokens",
	Category: CategoryModel,
})

// MaxOutputTokens is the most tokens of one reply (D-08).
var MaxOutputTokens = Optional(Int(AtLeast(1, "above 0")), Spec{
	Key: "max-output-tokens", Unset: "the provider's",
	Help:     "most tokens of one reply, also kept free in the window",
	Category: CategoryModel,
})

// Temperature is the sampling temperature; unset, it is not sent.
var Temperature = Optional(Number(Between(0, 2, "from 0 to 2")), Spec{
	Key: "temperature", Unset: "not sent",
	Help:     "how freely the model chooses its words; 0 is the most repeatable",
	Category: CategoryModel,
})

// TopP is the nucleus share; unset, it is not sent.
var TopP = Optional(Number(Between(0, 1, "above 0 and up to 1").WithoutLow()), Spec{
	Key: "top_p", Unset: "not sent",
	Help:     "share of the likeliest words the model chooses from",
	Category: CategoryModel,
})

// ReasoningEffort is how long a reasoning model thinks; unset, it is not sent.
var ReasoningEffort = Optional(Enum("none", "minimal", "low", "medium", "high", "xhigh", "max"), Spec{
	Key: "reasoning.effort", Unset: "not sent",
	Help:     "how long a reasoning model thinks before it answers",
	Category: CategoryModel,
})

// ReasoningReplay says whether a model's reasoning is sent back to it.
var ReasoningReplay = Declare(Enum("auto", "always", "never"), "auto", Spec{
	Key:      "reasoning.replay",
	Help:     "send a model's reasoning back to it; auto does where the vendor wants it",
	Category: CategoryModel,
})

// PromptCache says whether the provider is asked to keep the prompt in its cache.
var PromptCache = Declare(Enum("auto", "off", "5m", "1h"), "auto", Spec{
	Key:      "prompt-cache",
	Help:     "ask the provider to keep the prompt in its cache, and how long where it lets one choose",
	Category: CategoryModel,
})

// CacheKind is how the provider finds what it has cached (D-95).
var CacheKind = Declare(Enum("auto", "prefix", "marks", "none"), "auto", Spec{
	Key:      "cache-kind",
	Help:     "how the provider finds what it has cached: any common beginning, or only what ended at a mark; auto is what is known of it",
	Category: CategoryModel,
})

// CacheLife is how long the provider keeps what it has cached; 0 is what is known (D-95).
var CacheLife = Declare(DurationOrAuto(time.Second, 48*time.Hour), 0, Spec{
	Key:      "cache-life",
	Help:     "how long the provider keeps what it has cached after the latest use; auto is what is known of it, and what its reports teach",
	Category: CategoryModel,
})

// RequestTimeout is how long a model may take until the first piece of a reply and
// between two of them.
var RequestTimeout = Declare(Duration(time.Second, 24*time.Hour), 5*time.Minute, Spec{
	Key:      "request-timeout",
	Help:     "how long to wait for the first piece of a reply, and between two while only keep-alives come",
	Category: CategoryModel,
})

// IdleTimeout is how long a reply that has begun may be silent.
var IdleTimeout = Declare(Duration(time.Second, 24*time.Hour), 2*time.Minute, Spec{
	Key:      "idle-timeout",
	Help:     "how long a reply that has begun may be silent",
	Category: CategoryModel,
})

// MaxRetries is how often a request that failed is made again.
var MaxRetries = Declare(Int(Between(0, 100, "from 0 to 100")), 8, Spec{
	Key:      "max-retries",
	Help:     "how often a request that failed is made again",
	Category: CategoryModel,
})

// API is the wire format of requests.
var API = Declare(Enum("auto", "chat", "responses"), "auto", Spec{
	Key:      "api",
	Help:     "wire format: chat completions or OpenAI's Responses API; auto knows which models need which",
	Category: CategoryModel,
})

// ModelFamily is the family whose tools and words a model gets. The names are given by
// Choices.
var ModelFamily = Declare(Enum("auto"), "auto", Spec{
	Key:      "model-family",
	Help:     "family of models whose edit tool and hints the model gets; auto goes by its name. Counts from /clear or another model on",
	Category: CategoryModel,
})

// The values of EditTool.
const (
	EditAuto    = "auto"
	EditPatch   = "patch"
	EditReplace = "replace"
)

// EditTool is the form in which the model edits files.
var EditTool = Declare(Enum(EditAuto, EditPatch, EditReplace), EditAuto, Spec{
	Key:      "edit-tool",
	Help:     "how the model edits: by patches, or by replacing text; auto goes by its family. Counts from /clear or another model on",
	Category: CategoryModel,
})

// The values of edit-tolerance.
const (
	TolerateIndent = "indent"
	TolerateNone   = "exact"
)

// EditTolerance is by what quoted text may differ from a file for an edit to be made.
var EditTolerance = Declare(Enum(TolerateIndent, TolerateNone), TolerateIndent, Spec{
	Key:      "edit-tolerance",
	Help:     "what may differ between text that an edit quotes and the file: the indentation of whole lines at one place only, or nothing (exact)",
	Category: CategoryModel,
})

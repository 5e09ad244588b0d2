package settings

import (
	"slices"

	"agent/internal/compression"
)

// The keys of all settings.
const (
	KeyModel           = "model"
	KeyBaseURL         = "base-url"
	KeyAuthKeyfile     = "auth-keyfile"
	KeyContextLimit    = "context-limit"
	KeyMaxOutputTokens = "max-output-tokens"
	KeyTemperature     = "temperature"
	KeyTopP            = "top_p"
	KeyReasoningEffort = "reasoning.effort"

	KeyCompressionStrategy             = "compression.strategy"
	KeyCompressionThreshold            = "compression.threshold"
	KeyCompressionPreserveThreshold    = "compression.preserveThreshold"
	KeyCompressionTopPreserveThreshold = "compression.topPreserveThreshold"
	KeyCompressionProfile              = "compression.profile"
	KeyDensityReadWritePruning         = "compression.density.readWritePruning"
	KeyDensityFileDedupe               = "compression.density.fileDedupe"
	KeyDensityRecencyPruning           = "compression.density.recencyPruning"
	KeyDensityRecencyRetention         = "compression.density.recencyRetention"

	KeyApprovalMode        = "approval-mode"
	KeyShellTimeoutSeconds = "shell-timeout-seconds"
	KeyToolOutputMaxTokens = "tool-output-max-tokens"
	KeyFileReadMaxLines    = "file-read-max-lines"
	KeyMaxTurns            = "max-turns"
	KeyTheme               = "theme"

	KeyPriceInput  = "price.input"
	KeyPriceOutput = "price.output"
	KeyPriceCached = "price.cached"
)

// declare is the one place where settings are declared, in the order they are
// shown.
func declare(choices Choices) []*Spec {
	return slices.Concat(modelSpecs(), compressionSpecs(choices), behaviourSpecs(choices), toolSpecs(), priceSpecs())
}

func modelSpecs() []*Spec {
	return []*Spec{{
		Key: KeyModel, Type: TypeString, Unset: "the endpoint's only model",
		Help:     "the model that answers",
		Category: CategoryModel, PersistToProfile: true,
	}, {
		Key: KeyBaseURL, Type: TypeURL, Unset: "a local server if one answers", Environment: "OPENAI_BASE_URL",
		Help:     "address of the OpenAI-compatible endpoint, up to and with /v1",
		Category: CategoryModel, PersistToProfile: true,
	}, {
		Key: KeyAuthKeyfile, Type: TypePath, Unset: "OPENAI_API_KEY, then the keyring",
		Help:     "file that holds the API key (mode 0600)",
		Category: CategoryModel, PersistToProfile: true,
	}, {
		Key: KeyContextLimit, Aliases: []string{"context.limit"}, Type: TypeInt, Unset: "the model's, else 128000",
		Range:    atLeast(1, "above 0"),
		Help:     "size of the context window in tokens",
		Category: CategoryModel, PersistToProfile: true,
	}, {
		Key: KeyMaxOutputTokens, Type: TypeInt, Unset: "the provider's",
		Range:    atLeast(1, "above 0"),
		Help:     "most tokens of one reply, also kept free in the window",
		Category: CategoryModel, PersistToProfile: true,
	}, {
		Key: KeyTemperature, Type: TypeNumber, Unset: "not sent",
		Range:    between(0, 2, "from 0 to 2"),
		Help:     "how freely the model chooses its words; 0 is the most repeatable",
		Category: CategoryModel, PersistToProfile: true,
	}, {
		Key: KeyTopP, Type: TypeNumber, Unset: "not sent",
		Range:    between(0, 1, "above 0 and up to 1").withoutMin(),
		Help:     "share of the likeliest words the model chooses from",
		Category: CategoryModel, PersistToProfile: true,
	}, {
		Key: KeyReasoningEffort, Type: TypeEnum, Unset: "not sent",
		Enum:     []string{"none", "minimal", "low", "medium", "high", "xhigh"},
		Help:     "how long a reasoning model thinks before it answers",
		Category: CategoryModel, PersistToProfile: true,
	}}
}

func compressionSpecs(choices Choices) []*Spec {
	return []*Spec{{
		Key: KeyCompressionStrategy, Aliases: []string{"compression-strategy"}, Type: TypeEnum, Default: compression.DefaultName,
		Enum:     choices.Strategies,
		Help:     "how the context is made smaller when it fills up",
		Category: CategoryBehaviour, PersistToProfile: true,
	}, {
		Key: KeyCompressionThreshold, Aliases: []string{"compression-threshold"}, Type: TypeNumber, Unset: "the strategy's own",
		Range:    between(0, 1, "above 0 and up to 1").withoutMin(),
		Help:     "share of the context window at which compression starts",
		Category: CategoryBehaviour, PersistToProfile: true,
	}, {
		Key: KeyCompressionPreserveThreshold, Aliases: []string{"compression-preserve-threshold"}, Type: TypeNumber, Default: 0.2,
		Range:    between(0, 1, "from 0 to 1"),
		Help:     "share of the latest entries that compression leaves as they are",
		Category: CategoryBehaviour, PersistToProfile: true,
	}, {
		Key: KeyCompressionTopPreserveThreshold, Type: TypeNumber, Default: 0.2,
		Range:    between(0, 1, "from 0 to 1"),
		Help:     "share of the first entries that middle-out leaves as they are",
		Category: CategoryBehaviour, PersistToProfile: true,
	}, {
		Key: KeyCompressionProfile, Type: TypeProfile, Unset: "the model in use",
		Help:     "profile whose model writes the summaries",
		Category: CategoryBehaviour, PersistToProfile: true,
	}, {
		Key: KeyDensityReadWritePruning, Type: TypeBool, Default: true,
		Help:     "drop what was read of a file once the file was written",
		Category: CategoryBehaviour, PersistToProfile: true,
	}, {
		Key: KeyDensityFileDedupe, Type: TypeBool, Default: true,
		Help:     "keep only the latest copy of a file included with @",
		Category: CategoryBehaviour, PersistToProfile: true,
	}, {
		Key: KeyDensityRecencyPruning, Type: TypeBool, Default: false,
		Help:     "keep only the latest results of each tool",
		Category: CategoryBehaviour, PersistToProfile: true,
	}, {
		Key: KeyDensityRecencyRetention, Type: TypeInt, Default: 3,
		Range:    atLeast(1, "of at least 1"),
		Help:     "how many results of each tool recency pruning keeps",
		Category: CategoryBehaviour, PersistToProfile: true,
	}}
}

func behaviourSpecs(choices Choices) []*Spec {
	return []*Spec{{
		Key: KeyApprovalMode, Type: TypeEnum, Default: "ask",
		Enum:     choices.ApprovalModes,
		Help:     "which tool calls run without asking you",
		Category: CategoryBehaviour, PersistToProfile: true,
	}, {
		Key: KeyMaxTurns, Type: TypeInt, Default: -1,
		Range:    atLeast(1, "of at least 1, or -1 for no limit").orElse(-1),
		Help:     "most model requests for one prompt; -1 is no limit",
		Category: CategoryBehaviour, PersistToProfile: true,
	}, {
		Key: KeyTheme, Type: TypeEnum, Default: "auto",
		Enum:     choices.Themes,
		Help:     "colours of the screen",
		Category: CategoryBehaviour, PersistToProfile: true,
	}}
}

func toolSpecs() []*Spec {
	return []*Spec{{
		Key: KeyShellTimeoutSeconds, Type: TypeInt, Default: 300,
		Range:    atLeast(1, "above 0"),
		Help:     "seconds a shell command may take before it is stopped",
		Category: CategoryTools, PersistToProfile: true,
	}, {
		Key: KeyToolOutputMaxTokens, Type: TypeInt, Default: 16000,
		Range:    atLeast(1, "above 0"),
		Help:     "most tokens of one tool result; the rest goes to a file",
		Category: CategoryTools, PersistToProfile: true,
	}, {
		Key: KeyFileReadMaxLines, Type: TypeInt, Default: 2000,
		Range:    atLeast(1, "above 0"),
		Help:     "most lines one read of a file returns",
		Category: CategoryTools, PersistToProfile: true,
	}}
}

func priceSpecs() []*Spec {
	return []*Spec{{
		Key: KeyPriceInput, Type: TypeNumber, Unset: "no cost shown",
		Range:    atLeast(0, "of at least 0"),
		Help:     "price of a million input tokens, for /stats",
		Category: CategoryPrice, PersistToProfile: true,
	}, {
		Key: KeyPriceOutput, Type: TypeNumber, Unset: "no cost shown",
		Range:    atLeast(0, "of at least 0"),
		Help:     "price of a million output tokens, for /stats",
		Category: CategoryPrice, PersistToProfile: true,
	}, {
		Key: KeyPriceCached, Type: TypeNumber, Unset: "the input price",
		Range:    atLeast(0, "of at least 0"),
		Help:     "price of a million input tokens read from the provider's cache",
		Category: CategoryPrice, PersistToProfile: true,
	}}
}

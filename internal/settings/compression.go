package settings

import "agent/internal/compression"

// The settings of context compression.
var (
	// CompressionStrategy is the name of the active strategy (D-05).
	CompressionStrategy = Declare("compression.strategy", Enum(), compression.DefaultName,
		"how the context is pruned and compressed", "compression-strategy")
	// CompressionThreshold is the share of the context window at which compression starts. If it is
	// unset, the strategy's own threshold applies (D-04, REQ-HD-001.10).
	CompressionThreshold = Optional("compression.threshold", Number(UpTo(1, "above 0 and up to 1").ExcludingLow()), "the strategy's own",
		"share of the context window at which compression starts", "compression-threshold")
	// CompressionPreserveThreshold is the share of entries that is preserved at the end (D-06).
	CompressionPreserveThreshold = Declare("compression.preserveThreshold", Number(UpTo(1, "from 0 to 1")), 0.2,
		"share of the messages, at the end of the context, that compression doesn't change", "compression-preserve-threshold")
	// CompressionTopPreserveThreshold is the share of entries that is preserved at the beginning
	// (D-06).
	CompressionTopPreserveThreshold = Declare("compression.topPreserveThreshold", Number(UpTo(1, "from 0 to 1")), 0.2,
		"share of the messages, at the start of the context, that the strategy middle-out doesn't change")
	// CompressionPace scales when cache-aware prunes: earlier for values below 1, later for values
	// above 1.
	CompressionPace = Declare("compression.pace", Number(AtLeast(0, "above 0").ExcludingLow()), 1,
		"how long the strategy cache-aware keeps unused content: below 1 shorter, above 1 longer")
	// CompressionBoundaries determines when earlier entries may change for models with bound
	// reasoning.
	CompressionBoundaries = Declare("compression.boundaries", Enum("auto", "always"), "auto",
		"when to prune if a change makes the model drop its reasoning: auto (only between turns) or always")
	// CompressionProfile is the profile whose model writes summaries (D-36).
	CompressionProfile = Optional("compression.profile", ProfileName(), "the model in use",
		"profile of the model that writes summaries")
)

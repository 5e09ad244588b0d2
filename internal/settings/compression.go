package settings

import "agent/internal/compression"

// CompressionStrategy is the name of the active strategy (D-05).
var CompressionStrategy = Declare(Enum(), compression.DefaultName, Spec{
	Key: "compression.strategy", Aliases: []string{"compression-strategy"},
	Help:     "how the context is made smaller when it fills up",
	Category: CategoryBehaviour,
})

// CompressionThreshold is the share of the window at which compression starts;
// unset, it is the strategy's own (D-04, REQ-HD-001.10).
var CompressionThreshold = Optional(Number(Between(0, 1, "above 0 and up to 1").WithoutLow()), Spec{
	Key: "compression.threshold", Aliases: []string{"compression-threshold"}, Unset: "the strategy's own",
	Help:     "share of the context window at which compression starts",
	Category: CategoryBehaviour,
})

// CompressionPreserveThreshold is the share of entries kept at the tail (D-06).
var CompressionPreserveThreshold = Declare(Number(Between(0, 1, "from 0 to 1")), 0.2, Spec{
	Key: "compression.preserveThreshold", Aliases: []string{"compression-preserve-threshold"},
	Help:     "share of the latest entries that compression leaves as they are",
	Category: CategoryBehaviour,
})

// CompressionPace scales the patience of cache-aware: below 1 it prunes sooner, above
// 1 later.
var CompressionPace = Declare(Number(AtLeast(0, "above 0").WithoutLow()), 1, Spec{
	Key:      "compression.pace",
	Help:     "how long cache-aware keeps what is not used; 0.5 is brisk, 2 careful",
	Category: CategoryBehaviour,
})

// CompressionTopPreserveThreshold is the share of entries kept at the top (D-06).
var CompressionTopPreserveThreshold = Declare(Number(Between(0, 1, "from 0 to 1")), 0.2, Spec{
	Key:      "compression.topPreserveThreshold",
	Help:     "share of the first entries that middle-out leaves as they are",
	Category: CategoryBehaviour,
})

// CompressionProfile is the profile that summarises (D-36).
var CompressionProfile = Optional(ProfileName(), Spec{
	Key: "compression.profile", Unset: "the model in use",
	Help:     "profile whose model writes the summaries",
	Category: CategoryBehaviour,
})

package window

// Usage describes the next request by kind, in tokens as the provider counts them (D-07, D-09).
type Usage struct {
	// System and Tools are the sizes of the two parts of the head: the system prompt and the tool
	// schemas.
	System, Tools int
	// Human, AI, Calls and Results are the sizes of the parts of the history: texts of the user, texts
	// of the model, tool calls, and tool responses.
	Human, AI, Calls, Results int
	// Limit is the context window, and Reserve the part of it kept free for the reply. Threshold is the
	// size at which compression starts (D-40).
	Limit, Reserve, Threshold int
	// Wanted is the threshold's share of the context window. It exceeds Threshold if the reserve makes
	// Threshold smaller.
	Wanted int
	// Prompt is the size that the provider reported for the latest request. Cached is the part read
	// from the provider's cache, and Written the part written to it. They are 0 before the first
	// report.
	Prompt, Cached, Written int
	// Freed is the number of tokens that density has pruned so far.
	Freed int
	// Prunable sums up the content of the request that pruning could remove but has not removed.
	Prunable PrunableTokens
}

// Total returns the size of the next request.
func (u Usage) Total() int {
	return u.System + u.Tools + u.Human + u.AI + u.Calls + u.Results
}

// Usage describes the next request by kind.
func (w *Window) Usage() Usage {
	w.heads.prepare()
	kinds := w.History.Usage()
	// The size of a part is the difference that it makes to the scaled sum. So the parts add up exactly
	// to the size of the next request, whatever the rounding.
	estimate, told := 0, 0
	part := func(tokens int) int {
		estimate += tokens
		before := told
		told = w.Measure.ToProviderTokens(estimate)
		return told - before
	}
	usage := Usage{
		System:  part(w.heads.head.system),
		Tools:   part(w.heads.head.tools),
		Human:   part(kinds.Human),
		AI:      part(kinds.Assistant),
		Calls:   part(kinds.ToolCalls),
		Results: part(kinds.ToolResults),
		Limit:   w.Limits.Size(),
		Reserve: w.Limits.reserve(),
		Prompt:  w.latest.Prompt,
		Cached:  w.latest.Cached,
		Written: w.latest.Written,
		Freed:   w.Ledger.PrunedTokens(),

		Prunable: w.Contents.standing(),
	}
	if strategy, err := w.ActiveStrategy(); err == nil {
		usage.Threshold, usage.Wanted = w.Limits.CompressionThreshold(strategy), w.Limits.thresholdTokens(strategy)
	}
	return usage
}

package window

// Usage describes the next request by kind, in tokens as the provider counts them (D-07, D-09).
type Usage struct {
	// System and Tools are the sizes of the two parts of the head: the system prompt and the tool
	// schemas.
	System, Tools int
	// Human, AI, Calls and Results are the sizes of the parts of the history: texts of people,
	// texts of the model, tool calls, and tool responses.
	Human, AI, Calls, Results int
	// Limit is the window, Reserve the part of it kept for the reply, and Threshold the size at
	// which compression starts (D-40).
	Limit, Reserve, Threshold int
	// Wanted is the threshold's share of the window. It is above Threshold if the reserve leaves
	// less.
	Wanted int
	// Prompt is the size that the provider reported for the latest request, Cached the part read
	// from its cache, and Written the part written to it. They are 0 before the first report.
	Prompt, Cached, Written int
	// Freed is the number of tokens that density has freed so far.
	Freed int
	// Prunable sums up the content of the request that pruning could take and has not taken.
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
	// The size of a part is its addition to the scaled sum, so that the parts add up to
	// exactly the size of the next request, whatever the rounding.
	estimate, told := 0, 0
	part := func(tokens int) int {
		estimate += tokens
		before := told
		told = w.Measure.Scaled(estimate)
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
		Freed:   w.Ledger.Freed(),

		Prunable: w.Contents.standing(),
	}
	if strategy, err := w.Active(); err == nil {
		usage.Threshold, usage.Wanted = w.Limits.Trigger(strategy), w.Limits.thresholdTokens(strategy)
	}
	return usage
}

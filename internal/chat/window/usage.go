package window

// Usage is the next request by kind, in tokens as the provider counts them (D-07,
// D-09).
type Usage struct {
	// System and Tools are the head of every request: the system prompt and the
	// tool schemas.
	System, Tools int
	// Human, AI, Calls and Results are the history: what people and the model
	// said, the tool calls and their responses.
	Human, AI, Calls, Results int
	// Limit is the window, Reserve the part of it kept for the reply, Threshold the
	// size at which compression starts (D-40).
	Limit, Reserve, Threshold int
	// Wanted is the share of the window that the threshold asks for. It is above
	// Threshold when the reserve leaves less than that.
	Wanted int
	// Prompt is the size the provider reported for the latest request, Cached the part
	// of it read from its cache and Written the part written to it; 0 before the first
	// report.
	Prompt, Cached, Written int
	// Freed is what density has saved so far.
	Freed int
	// Standing is what pruning could take of it and has not.
	Standing Standing
}

// Total is the size of the next request.
func (u Usage) Total() int {
	return u.System + u.Tools + u.Human + u.AI + u.Calls + u.Results
}

// Usage describes the next request by kind.
func (w *Window) Usage() Usage {
	w.prepare()
	kinds := w.History.Usage()
	// Each part is what it adds to the scaled sum, so that the parts make up
	// exactly the size of the next request whatever the rounding.
	estimate, told := 0, 0
	part := func(tokens int) int {
		estimate += tokens
		before := told
		told = w.Scaled(estimate)
		return told - before
	}
	usage := Usage{
		System:  part(w.head.system),
		Tools:   part(w.head.tools),
		Human:   part(kinds.Human),
		AI:      part(kinds.Assistant),
		Calls:   part(kinds.ToolCalls),
		Results: part(kinds.ToolResults),
		Limit:   w.Size(),
		Reserve: w.reserve(),
		Prompt:  w.latest.Prompt,
		Cached:  w.latest.Cached,
		Written: w.latest.Written,
		Freed:   w.Freed(),

		Standing: w.standing(),
	}
	if strategy, err := w.Active(); err == nil {
		usage.Threshold, usage.Wanted = w.Trigger(strategy), w.thresholdTokens(strategy)
	}
	return usage
}

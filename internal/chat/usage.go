package chat

// ContextUsage is the next request by kind, in tokens as the provider counts
// them (D-07, D-09).
type ContextUsage struct {
	// System and Tools are the head of every request: the system prompt and the
	// tool schemas.
	System, Tools int
	// Human, AI, Calls and Results are the history: what people and the model
	// said, the tool calls and their responses.
	Human, AI, Calls, Results int
	// Limit is the window, Threshold the size at which compression starts.
	Limit, Threshold int
	// Prompt is the size the provider reported for the latest request and Cached
	// the part of it read from its cache; 0 before the first report.
	Prompt, Cached int
	// Freed is what density and compression have saved so far.
	Freed int
}

// Total is the size of the next request.
func (u ContextUsage) Total() int {
	return u.System + u.Tools + u.Human + u.AI + u.Calls + u.Results
}

package chat

// Outcome is the result of a turn, for the exit status and the non-interactive result.
type Outcome struct {
	// Response is the model's last text.
	Response string
	// Cut is the reason why Response is incomplete: "length" for the model's output limit, or
	// "content_filter" for the provider's filter. It is "" if Response is complete.
	Cut string
	// Stop is the reason why the turn ended.
	Stop Stop
	// Requests and ToolCalls count the requests and tool calls of the turn.
	Requests  int
	ToolCalls int
}

func (o Outcome) stopped(stop Stop) Outcome {
	o.Stop = stop
	return o
}

// Stop is the reason why a turn ended.
type Stop string

// The reasons why a turn ends.
const (
	StopDone        Stop = "done"
	StopInterrupted Stop = "interrupted"
	StopMaxTurns    Stop = "max-turns"
	StopMaxCost     Stop = "max-cost"
	StopDenied      Stop = "denied"
	StopRepeating   Stop = "repeating"
	StopFailed      Stop = "failed"
	StopHook        Stop = "hook"
)

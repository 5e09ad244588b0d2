package chat

// Outcome sums up a turn, for the exit status and the headless result.
type Outcome struct {
	// Response is the model's last text.
	Response string
	// Cut is the reason why Response is not complete: "length" for the model's output limit,
	// "content_filter" for the provider's filter; "" if it is complete.
	Cut string
	// Stop says why the turn ended.
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

package chat

// Outcome sums up a turn, for the exit status and the headless result.
type Outcome struct {
	// Response is the model's last text.
	Response string
	// Stop says why the turn ended.
	Stop Stop
	// Requests and ToolCalls count what the turn took.
	Requests  int
	ToolCalls int
}

// Stop is why a turn ended.
type Stop string

// The ways a turn ends.
const (
	StopDone        Stop = "done"
	StopInterrupted Stop = "interrupted"
	StopMaxTurns    Stop = "max-turns"
	StopMaxCost     Stop = "max-cost"
	StopDenied      Stop = "denied"
	StopRepeating   Stop = "repeating"
	StopFailed      Stop = "failed"
)

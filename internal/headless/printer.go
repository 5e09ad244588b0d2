package headless

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"agent/internal/chat"
	"agent/internal/history"
)

// Printer writes one run in one format. Events must come from one goroutine.
type Printer struct {
	format Format
	out    io.Writer
	people io.Writer
	err    error
}

// NewPrinter returns a printer that writes results to out and what is for people
// to people.
func NewPrinter(format Format, out, people io.Writer) *Printer {
	return &Printer{format: format, out: out, people: people}
}

// Start announces the session.
func (p *Printer) Start(sessionID string) {
	if p.format == StreamJSON {
		p.line(map[string]any{"type": "session", "sessionId": sessionID})
	}
}

// Event writes one event of the turn loop.
func (p *Printer) Event(e chat.Event) {
	if p.format == StreamJSON {
		if line := streamLine(e); line != nil {
			p.line(line)
		}
		return
	}
	p.tell(e)
}

// tell writes the events a person watching the error stream wants to know.
func (p *Printer) tell(e chat.Event) {
	switch e := e.(type) {
	case chat.ToolStarted:
		fmt.Fprintf(p.people, "· %s\n", e.Title)
	case chat.ToolEnded:
		if e.Answer.Error != "" {
			fmt.Fprintf(p.people, "  %s failed: %s\n", e.Name, firstLine(e.Answer.Error))
		}
	case chat.UserMessage:
		for _, s := range e.Skipped {
			fmt.Fprintf(p.people, "@%s not included: %s\n", s.Path, s.Reason)
		}
	case chat.DensityApplied:
		fmt.Fprintln(p.people, e)
	case chat.Compressed:
		fmt.Fprintln(p.people, e)
	case chat.Retry:
		fmt.Fprintf(p.people, "retrying in %s (attempt %d): %s\n", e.Delay.Round(1e7), e.Attempt, e.Reason)
	case chat.Notice:
		fmt.Fprintln(p.people, e.Text)
	}
}

// Finish writes the end of a run.
func (p *Printer) Finish(run Run) error {
	result := run.result()
	switch p.format {
	case Text:
		p.finishText(run, result)
	case JSON:
		p.line(result)
	case StreamJSON:
		if result.Error != "" {
			p.line(map[string]any{"type": "error", "error": result.Error})
		}
		p.line(struct {
			Type string `json:"type"`
			Result
		}{"result", result})
	}
	return p.err
}

func (p *Printer) finishText(run Run, result Result) {
	if run.Err == nil && result.Response != "" {
		_, p.err = fmt.Fprintln(p.out, strings.TrimRight(result.Response, "\n"))
	}
}

// line writes one JSON object; the first failure (a closed pipe) is kept.
func (p *Printer) line(v any) {
	encoder := json.NewEncoder(p.out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil && p.err == nil {
		p.err = err
	}
}

// streamLine is the JSON line of an event, nil for events scripts do not see.
func streamLine(e chat.Event) any {
	switch e := e.(type) {
	case chat.TextDelta:
		return map[string]any{"type": "text", "delta": e.Delta}
	case chat.ReasoningDelta:
		return map[string]any{"type": "reasoning", "delta": e.Delta}
	case chat.CallRequested:
		return map[string]any{"type": "tool_call", "id": e.ID, "name": e.Name, "parameters": e.Parameters}
	case chat.ToolEnded:
		return toolResult(e)
	case chat.DensityApplied:
		return densityLine{"density", e.Metadata, e.TokensBefore, e.TokensAfter}
	case chat.Compressed:
		return compressionLine(e)
	case chat.UsageReported:
		return map[string]any{"type": "usage", "promptTokens": e.PromptTokens, "completionTokens": e.CompletionTokens, "cachedTokens": e.CachedTokens}
	case chat.Retry:
		return map[string]any{"type": "retry", "attempt": e.Attempt, "delayMs": e.Delay.Milliseconds(), "reason": e.Reason}
	case chat.ReplyDiscarded:
		return map[string]any{"type": "notice", "text": "the reply was cut and starts over; discard the text so far"}
	case chat.Notice:
		return map[string]any{"type": "notice", "text": e.Text}
	case chat.UserMessage:
		return skippedNotice(e)
	default:
		return nil
	}
}

type densityLine struct {
	Type         string                  `json:"type"`
	Metadata     history.DensityMetadata `json:"metadata"`
	TokensBefore int                     `json:"tokensBefore"`
	TokensAfter  int                     `json:"tokensAfter"`
}

func toolResult(e chat.ToolEnded) any {
	line := map[string]any{"type": "tool_result", "callId": e.ID, "toolName": e.Name, "result": e.Answer.Result}
	if e.Answer.Error != "" {
		line["error"] = e.Answer.Error
	}
	if e.Answer.ExitCode != nil {
		line["exitCode"] = *e.Answer.ExitCode
	}
	return line
}

func compressionLine(e chat.Compressed) any {
	line := map[string]any{"type": "compression", "strategy": e.Strategy, "kind": "applied", "tokensBefore": e.TokensBefore, "tokensAfter": e.TokensAfter}
	if !e.Applied {
		line["kind"], line["reason"] = "noop", e.Reason
	}
	return line
}

func skippedNotice(e chat.UserMessage) any {
	if len(e.Skipped) == 0 {
		return nil
	}
	reasons := make([]string, len(e.Skipped))
	for i, s := range e.Skipped {
		reasons[i] = "@" + s.Path + ": " + s.Reason
	}
	return map[string]any{"type": "notice", "text": "not included: " + strings.Join(reasons, "; ")}
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

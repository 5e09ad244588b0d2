package streamjson

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"agent/internal/base/humanize"
	"agent/internal/base/rawjson"
	"agent/internal/chat"
)

// A Printer writes one run in one format. All events must be passed from the same goroutine.
type Printer struct {
	// writing is locked while a line is written, because another goroutine reports problems of the input.
	writing sync.Mutex
	format  string
	out     io.Writer
	people  io.Writer
	err     error
	// finished is set once the result has been written.
	finished bool
	// waited is the duration of the model's silence when it was last reported.
	waited time.Duration
}

// NewPrinter returns a printer for one of Formats. It writes results to out, and messages for people to
// people.
func NewPrinter(format string, out, people io.Writer) *Printer {
	return &Printer{format: format, out: out, people: people}
}

// Start writes the session and the parts of the configuration that it starts with.
func (p *Printer) Start(sessionID string, loaded LoadedSetup) {
	if p.format == FormatStreamJSON {
		p.line(sessionLine{"session", SchemaVersion, sessionID, loaded})
	}
}

// Turn writes the end of a turn, in a run of several turns.
func (p *Printer) Turn(e chat.TurnEnded) {
	p.line(turnOf(e))
}

// Problem reports an error in a line of input.
func (p *Printer) Problem(err error) { p.line(errorLine{"error", err.Error()}) }

// PrintEvent writes one event of the turn loop. It returns the first write error. After such an error nobody
// reads the results, so the run should end.
func (p *Printer) PrintEvent(e chat.Event) error {
	if waiting, ok := e.(chat.Waiting); ok && !p.worthTelling(waiting) {
		return p.failure()
	}
	if p.format != FormatStreamJSON {
		p.printForPerson(e)
		return nil
	}
	if line := streamLine(e); line != nil {
		p.line(line)
	}
	return p.failure()
}

// failure returns the first write error.
func (p *Printer) failure() error {
	p.writing.Lock()
	defer p.writing.Unlock()
	return p.err
}

// worthTelling reports whether a silence has begun, or has doubled since it was last reported. A log should
// show that a run waits, but not contain many such lines.
func (p *Printer) worthTelling(e chat.Waiting) bool {
	if e.For >= p.waited && e.For < 2*p.waited {
		return false
	}
	p.waited = e.For
	return true
}

// printForPerson prints the events that are relevant for a user who reads the error stream.
func (p *Printer) printForPerson(e chat.Event) {
	switch e := e.(type) {
	case chat.ToolStarted:
		p.say("· %s", e.Label.Title())
	case chat.ToolEnded:
		if e.Answer.Error != "" {
			p.say("  %s failed: %s", e.Name, humanize.FirstLine(e.Answer.Error))
		}
	case chat.UserMessage:
		for _, s := range e.Skipped {
			p.say("@%s not included: %s", strings.TrimPrefix(s.Path, "@"), s.Reason)
		}
	case chat.DensityApplied:
		p.say("%s", e)
	case chat.CompressionStarted:
		p.say("compression (%s): %s is writing a summary", e.Strategy, e.Model)
	case chat.Compressed:
		p.say("%s", e)
	case chat.Retry:
		p.say("retrying in %s (attempt %d): %s", e.Delay.Round(10*time.Millisecond), e.Attempt, e.Problem())
	case chat.Waiting:
		p.say("%s", waitingText(e))
	case chat.ProgramWaiting:
		if e.Names != "" {
			p.say("waiting for %s", e.Names)
		}
	case chat.Searched:
		p.say("%s", e)
	case chat.Notice:
		p.say("%s", e.Text)
	case chat.TurnCost:
		p.say("%s", e)
	case chat.AgentStarted:
		p.say("· agent %s %s: %s", e.Agent, e.ID, e.Title)
	case chat.AgentEvent:
		p.tellOf(e)
	case chat.AgentEnded:
		if e.Waits { // the subagent has not begun
			return
		}
		p.say("  agent %s %s: %s, %s; changed: %s", e.Agent, e.ID, e.Status, e.AgentState, e.Changed)
	}
}

// tellOf prints the events of a subagent that are relevant for a user: refused calls, and the reason why
// the subagent waits.
func (p *Printer) tellOf(e chat.AgentEvent) {
	switch inner := e.Event.(type) {
	case chat.Notice:
		p.say("  agent %s %s: %s", e.Agent, e.ID, inner.Text)
	case chat.Retry:
		p.say("  agent %s %s: retrying in %s (attempt %d): %s", e.Agent, e.ID, inner.Delay.Round(10*time.Millisecond), inner.Attempt, inner.Problem())
	}
}

func waitingText(e chat.Waiting) string {
	return fmt.Sprintf("waiting for %s, which has sent nothing for %s", e.Model, humanize.Elapsed(e.For))
}

// say writes a line for people. It makes control characters visible, because names from models and tools
// may contain them, so that no terminal interprets them. It also limits the length.
func (p *Printer) say(format string, args ...any) {
	fmt.Fprintln(p.people, humanize.EscapeInvisible(humanize.Brief(fmt.Sprintf(format, args...))))
}

// Finish writes the end of a run. It returns the first write error, such as a closed pipe.
func (p *Printer) Finish(run Run) error {
	result := run.result()
	if saved := run.Stats.Saving.String(); saved != "" && p.format != FormatStreamJSON {
		p.say("pruning %s in this session", saved)
	}
	if run.Changed != nil && p.format != FormatStreamJSON {
		p.say("%s", run.Changed)
	}
	switch p.format {
	case FormatText:
		if answer := run.Answer(); run.Err == nil && answer != "" {
			_, p.err = fmt.Fprintln(p.out, strings.TrimRight(answer, "\n"))
		}
	case FormatJSON:
		p.line(result)
	case FormatStreamJSON:
		if result.Error != "" {
			p.line(errorLine{"error", result.Error})
		}
		p.line(resultLine{"result", result})
	}
	p.writing.Lock()
	defer p.writing.Unlock()
	p.finished = true
	return p.err
}

// line writes one JSON object. After an error it writes nothing, so that the output has no gaps. After the
// result it writes nothing either.
func (p *Printer) line(v any) {
	p.writing.Lock()
	defer p.writing.Unlock()
	if p.err != nil || p.finished {
		return
	}
	p.err = rawjson.Write(p.out, v)
}

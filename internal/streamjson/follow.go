package streamjson

import (
	"encoding/json"
	"time"

	"agent/internal/atcmd"
	"agent/internal/base/arguments"
	"agent/internal/chat"
	"agent/internal/gate"
	"agent/internal/snapshot"
	"agent/internal/tools"
	"agent/internal/toolspec"
)

// Lines that only clients of a running session receive, in addition to the lines of stream-json. From them
// a client shows the same screen as the terminal of the session.
type (
	userLine struct {
		Type     string               `json:"type"`
		Text     string               `json:"text"`
		Included []atcmd.IncludedFile `json:"included,omitempty"`
		Skipped  []atcmd.SkippedPath  `json:"skipped,omitempty"`
	}
	// typeLine has no members besides its type. turn_start begins a turn; request reports a request to the
	// model.
	typeLine struct {
		Type string `json:"type"`
	}
	replyLine struct {
		Type        string `json:"type"`
		Text        string `json:"text"`
		Interrupted bool   `json:"interrupted,omitempty"`
	}
	// voidLine discards the text since the last reply. Thinking is set if it was reasoning.
	voidLine struct {
		Type     string `json:"type"`
		Thinking bool   `json:"thinking,omitempty"`
	}
	toolStartLine struct {
		Type string `json:"type"`
		Call int    `json:"call"`
		ID   string `json:"id"`
		Name string `json:"name"`
	}
	toolOutputLine struct {
		Type   string `json:"type"`
		Call   int    `json:"call"`
		Output string `json:"output"`
	}
	// shownResult adds members for the screen to the result of a call.
	shownResult struct {
		toolResultLine
		// Text is the part of Result that a screen shows, or nil for all of it.
		Text       *string        `json:"text,omitempty"`
		Call       int            `json:"call"`
		Diff       string         `json:"diff,omitempty"`
		Summary    string         `json:"summary,omitempty"`
		DurationMs int64          `json:"durationMs"`
		Typed      bool           `json:"typed,omitempty"`
		Declined   bool           `json:"declined,omitempty"`
		Denied     *gate.Decision `json:"denied,omitempty"`
		Unanswered bool           `json:"unanswered,omitempty"`
	}
	// shownApproval adds members for the screen to a question.
	shownApproval struct {
		approvalLine
		Call    int           `json:"call,omitempty"`
		Agent   string        `json:"agent,omitempty"`
		Task    string        `json:"task,omitempty"`
		ForGood string        `json:"forGood,omitempty"`
		Often   string        `json:"often,omitempty"`
		After   []string      `json:"after,omitempty"`
		Preview tools.Preview `json:"preview"`
		// Forms has an inquiryForm for each inquiry of the preview.
		Forms []inquiryForm `json:"forms,omitempty"`
	}
	// inquiryForm describes the possible answers to an inquiry that are not options.
	inquiryForm struct {
		YesNo bool   `json:"yesNo,omitempty"`
		Draft string `json:"draft,omitempty"`
	}
	waitingLine struct {
		Type  string `json:"type"`
		Model string `json:"model"`
		ForMs int64  `json:"forMs"`
	}
	queueLine struct {
		Type     string   `json:"type"`
		Messages []string `json:"messages"`
	}
	returnedLine struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	statusLine struct {
		Type   string      `json:"type"`
		Status chat.Status `json:"status"`
		Stats  chat.Stats  `json:"stats"`
	}
)

// A SessionState describes a running session in a line, for boards.
type SessionState struct {
	Type string `json:"type"`
	// ID is the id of the session. PID is the ID of its process.
	ID     string `json:"id"`
	PID    int    `json:"pid"`
	Folder string `json:"folder"`
	Title  string `json:"title"`
	// State is "working", "blocked", "done", "failed" or "idle". The state began at Since.
	State string    `json:"state"`
	Since time.Time `json:"since"`
	// Kind is the kind of answer that a blocked session waits for: "permission" or "question".
	Kind    string  `json:"kind,omitempty"`
	Branch  string  `json:"branch,omitempty"`
	Model   string  `json:"model,omitempty"`
	CostUSD float64 `json:"costUSD,omitempty"`
	// Tokens is the size of the context. Limit is the size of the context window.
	Tokens int `json:"tokens,omitempty"`
	Limit  int `json:"limit,omitempty"`
	// Steered is set if clients may send messages and answers. Detached is set if the session has no
	// terminal.
	Steered  bool `json:"steered,omitempty"`
	Detached bool `json:"detached,omitempty"`
}

// StateLine is the type of a State.
const StateLine = "state"

// ClientLine returns the line of an event for the clients of a session, or nil for none.
func ClientLine(e chat.Event) any {
	switch e := e.(type) {
	case chat.TurnStarted:
		return typeLine{"turn_start"}
	case chat.RequestStarted:
		return typeLine{"request"}
	case chat.TurnEnded:
		return turnOf(e)
	case chat.UserMessage:
		return userLine{"user", e.Text, e.Included, e.Skipped}
	case chat.ReplyEnded:
		return replyLine{"reply", e.Text, e.Interrupted}
	case chat.TextWasThinking:
		return voidLine{"void", true}
	case chat.ReplyDiscarded:
		return voidLine{"void", false}
	case chat.ToolStarted:
		return toolStartLine{"tool_start", e.Call, e.ID, e.Name}
	case chat.ToolOutput:
		return toolOutputLine{"tool_output", e.Call, e.Data}
	case chat.ToolEnded:
		result, _ := streamLine(e).(toolResultLine)
		var text *string
		if e.Answer.Note != "" {
			text = &e.Answer.Text
		}
		return shownResult{result, text, e.Call, e.Answer.Diff, e.Answer.Summary, e.Duration.Milliseconds(), e.Typed, e.Answer.Declined, e.Denied, e.Unanswered}
	case chat.ApprovalRequested:
		return shownApprovalOf(e.Approval)
	case chat.Waiting:
		return waitingLine{"waiting", e.Model, e.For.Milliseconds()}
	case chat.QueueChanged:
		return queueLine{"queue", append([]string{}, e.Messages...)}
	case chat.MessageReturned:
		return returnedLine{"returned", e.Message.Text()}
	case chat.TurnCost: // the status already contains it
		return nil
	case chat.StatusChanged:
		return statusLine{"status", e.Status, e.Stats}
	case chat.AgentEvent:
		switch e.Event.(type) {
		case chat.UserMessage, chat.ReplyEnded, chat.CallRequested, chat.ToolEnded, chat.Notice, chat.Retry:
			return ofAgent(e, ClientLine)
		}
		return nil
	}
	return streamLine(e)
}

// A Decoder decodes the lines of a session into events. The zero Decoder is ready.
type Decoder struct {
	tools *tools.Registry
	// labels holds the labels of the requested calls, by their ids. agents holds the names of the
	// subagents.
	labels map[string]toolspec.Label
	agents map[string]string
}

// Decode returns the event of a line. It returns nil for a line that a screen does not show, or that this
// version does not support.
func (f *Decoder) Decode(line []byte) (chat.Event, error) {
	if f.tools == nil {
		f.tools, f.labels, f.agents = tools.NewRegistry(tools.Default()...), map[string]toolspec.Label{}, map[string]string{}
	}
	var head struct {
		Type    string `json:"type"`
		AgentID string `json:"agent_id"`
	}
	if err := json.Unmarshal(line, &head); err != nil {
		return nil, err
	}
	decode, known := decoders[head.Type]
	if !known {
		return nil, nil
	}
	event, err := decode(f, line)
	if err != nil || event == nil {
		return nil, err
	}
	switch event.(type) {
	case chat.ApprovalRequested, chat.AgentStarted, chat.AgentEnded:
		return event, nil
	}
	if head.AgentID != "" {
		event = chat.AgentEvent{ID: head.AgentID, Agent: f.agents[head.AgentID], Event: event}
	}
	return event, nil
}

// decoders maps the types of lines to functions that return their events.
var decoders = map[string]func(*Decoder, []byte) (chat.Event, error){
	"text":       decoder(func(_ *Decoder, l deltaLine) chat.Event { return chat.TextDelta{Delta: l.Delta} }),
	"reasoning":  decoder(func(_ *Decoder, l deltaLine) chat.Event { return chat.ReasoningDelta{Delta: l.Delta} }),
	"turn_start": decoder(func(*Decoder, typeLine) chat.Event { return chat.TurnStarted{} }),
	"request":    decoder(func(*Decoder, typeLine) chat.Event { return chat.RequestStarted{} }),
	"turn":       decoder(func(_ *Decoder, l turnLine) chat.Event { return l.event() }),
	"user": decoder(func(_ *Decoder, l userLine) chat.Event {
		return chat.UserMessage{Text: l.Text, Included: l.Included, Skipped: l.Skipped}
	}),
	"reply": decoder(func(_ *Decoder, l replyLine) chat.Event {
		return chat.ReplyEnded{Text: l.Text, Interrupted: l.Interrupted}
	}),
	"void": decoder(func(_ *Decoder, l voidLine) chat.Event {
		if l.Thinking {
			return chat.TextWasThinking{}
		}
		return chat.ReplyDiscarded{}
	}),
	"tool_call": decoder(func(f *Decoder, l toolCallLine) chat.Event {
		given := arguments.Parse(string(l.Parameters))
		f.labels[l.ID] = f.tools.Traits(l.Name).Describe(l.Name, given)
		return chat.CallRequested{ID: l.ID, Name: l.Name, Label: f.labels[l.ID], Arguments: given}
	}),
	"tool_start": decoder(func(f *Decoder, l toolStartLine) chat.Event {
		return chat.ToolStarted{Call: l.Call, ID: l.ID, Name: l.Name, Label: f.label(l.ID, l.Name)}
	}),
	"tool_output": decoder(func(_ *Decoder, l toolOutputLine) chat.Event { return chat.ToolOutput{Call: l.Call, Data: l.Output} }),
	"tool_result": decoder(func(f *Decoder, l shownResult) chat.Event {
		label := f.label(l.CallID, l.ToolName)
		if l.Text != nil {
			l.Result = *l.Text
		}
		delete(f.labels, l.CallID)
		return chat.ToolEnded{
			Call: l.Call, ID: l.CallID, Name: l.ToolName, Label: label, Traits: f.tools.Traits(l.ToolName),
			Answer:   tools.Answer{Text: l.Result, Error: l.Error, ExitCode: l.ExitCode, Diff: l.Diff, Summary: l.Summary, Declined: l.Declined},
			Duration: time.Duration(l.DurationMs) * time.Millisecond, Typed: l.Typed, Denied: l.Denied, Unanswered: l.Unanswered,
		}
	}),
	"approval": decoder(func(f *Decoder, l shownApproval) chat.Event {
		for i, form := range l.Forms[:min(len(l.Forms), len(l.Preview.Inquiries))] {
			l.Preview.Inquiries[i].YesNo, l.Preview.Inquiries[i].Draft = form.YesNo, form.Draft
		}
		return chat.ApprovalRequested{Approval: chat.Approval{
			ID: l.ID, Agent: l.Agent, AgentID: l.AgentID, Task: l.Task, Call: l.Call, Tool: l.Tool, Traits: f.tools.Traits(l.Tool), Preview: l.Preview,
			Always: l.Always, Sandbox: l.Sandbox, ForGood: l.ForGood, Often: l.Often, After: l.After, Repeats: l.Repeats,
		}}
	}),
	"settled": decoder(func(_ *Decoder, l settledLine) chat.Event { return chat.ApprovalSettled{ID: l.ID} }),
	"waiting": decoder(func(_ *Decoder, l waitingLine) chat.Event {
		return chat.Waiting{Model: l.Model, For: time.Duration(l.ForMs) * time.Millisecond}
	}),
	"queue": decoder(func(_ *Decoder, l queueLine) chat.Event { return chat.QueueChanged{Messages: l.Messages} }),
	"returned": decoder(func(_ *Decoder, l returnedLine) chat.Event {
		return chat.MessageReturned{Message: atcmd.TypedMessage(l.Text)}
	}),
	"status": decoder(func(_ *Decoder, l statusLine) chat.Event {
		return chat.StatusChanged{Status: l.Status, Stats: l.Stats}
	}),
	"usage":  decoder(func(_ *Decoder, l usageLine) chat.Event { return chat.UsageReported(l.Usage) }),
	"notice": decoder(func(_ *Decoder, l noticeLine) chat.Event { return chat.Notice{Text: l.Text} }),
	"search": decoder(func(_ *Decoder, l searchLine) chat.Event { return chat.Searched{Query: l.Query, Sources: l.Sources} }),
	"retry": decoder(func(_ *Decoder, l retryLine) chat.Event {
		return chat.Retry{Attempt: l.Attempt, Delay: time.Duration(l.DelayMs) * time.Millisecond, Reason: l.Reason}
	}),
	"compression_started": decoder(func(_ *Decoder, l compressionStartedLine) chat.Event {
		return chat.CompressionStarted{Strategy: l.Strategy, Model: l.Model}
	}),
	"compression": decoder(func(_ *Decoder, l compressionLine) chat.Event {
		return chat.Compressed{Strategy: l.Strategy, Reason: l.Reason, TokensBefore: l.TokensBefore, TokensAfter: l.TokensAfter, Failed: l.Kind == "failed", Applied: l.Kind == "applied"}
	}),
	"density": decoder(func(_ *Decoder, l densityLine) chat.Event {
		return chat.DensityApplied{Metadata: l.Metadata, TokensBefore: l.TokensBefore, TokensAfter: l.TokensAfter, Cut: l.PruningCost}
	}),
	"agent_start": decoder(func(f *Decoder, l agentStartLine) chat.Event {
		f.agents[l.AgentID] = l.Agent
		return chat.AgentStarted{AgentState: chat.AgentState{ID: l.AgentID, CallID: l.CallID, Agent: l.Agent, Title: l.Title, Model: l.Model}}
	}),
	"agent_end": decoder(func(f *Decoder, l agentEndLine) chat.Event {
		ended := chat.AgentEnded{AgentState: chat.AgentState{ID: l.AgentID, Agent: f.agents[l.AgentID]}, Status: l.Status, Changed: l.Changed}
		ended.Stats.UsageReported, ended.Stats.Cost = chat.UsageReported(l.Usage), l.Cost
		return ended
	}),
}

// decoder returns a function that decodes a line of type L and returns its event.
func decoder[L any](event func(*Decoder, L) chat.Event) func(*Decoder, []byte) (chat.Event, error) {
	return func(f *Decoder, data []byte) (chat.Event, error) {
		var line L
		if err := json.Unmarshal(data, &line); err != nil {
			return nil, err
		}
		return event(f, line), nil
	}
}

func (f *Decoder) label(id, name string) toolspec.Label {
	if label, requested := f.labels[id]; requested {
		return label
	}
	return f.tools.Traits(name).DescribeName(name)
}

func shownApprovalOf(a chat.Approval) shownApproval {
	line := shownApproval{approvalLine: approvalOf(a), Call: a.Call, Agent: a.Agent, Task: a.Task, ForGood: a.ForGood, Often: a.Often, After: a.After, Preview: a.Preview}
	line.Preview.Commands = nil // only gates read the commands
	for _, inquiry := range a.Preview.Inquiries {
		line.Forms = append(line.Forms, inquiryForm{inquiry.YesNo, inquiry.Draft})
	}
	return line
}

func turnOf(e chat.TurnEnded) turnLine {
	line := turnLine{Type: "turn", Stop: string(e.Outcome.Stop), Response: e.Outcome.Response, Changed: changedBy(e)}
	if e.Err != nil {
		line.Error = e.Err.Error()
	}
	return line
}

// event returns the event for the end of the turn that the line describes.
func (l turnLine) event() chat.Event {
	e := chat.TurnEnded{Outcome: chat.Outcome{Stop: chat.Stop(l.Stop), Response: l.Response}}
	if l.Error != "" {
		e.Err = turnError(l.Error)
	}
	if l.Changed != nil {
		e.Changes = snapshot.Changes(*l.Changed)
	}
	return e
}

// turnError is the error of a turn in another process.
type turnError string

func (e turnError) Error() string { return string(e) }

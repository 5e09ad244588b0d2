package streamjson

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"agent/internal/base/rawjson"
	"agent/internal/chat"
	"agent/internal/history"
)

// Lines of stream-json. Each begins with its type.
type (
	sessionLine struct {
		Type      string `json:"type"`
		Schema    int    `json:"schema"`
		SessionID string `json:"sessionId"`
		LoadedSetup
	}
	deltaLine struct {
		Type  string `json:"type"`
		Delta string `json:"delta"`
	}
	toolCallLine struct {
		Type       string          `json:"type"`
		ID         string          `json:"id"`
		Name       string          `json:"name"`
		Parameters json.RawMessage `json:"parameters"`
	}
	toolResultLine struct {
		Type     string `json:"type"`
		CallID   string `json:"callId"`
		ToolName string `json:"toolName"`
		Result   string `json:"result"`
		Error    string `json:"error,omitempty"`
		ExitCode *int   `json:"exitCode,omitempty"`
	}
	// approvalLine is an approval prompt or a question. An input line answers it by its id.
	approvalLine struct {
		Type string `json:"type"`
		ID   int    `json:"id"`
		// AgentID identifies the subagent that asks. It is omitted for the conversation itself.
		AgentID string `json:"agent_id,omitempty"`
		Tool    string `json:"tool"`
		// Title summarizes the question in one line. The members below describe the action.
		Title      string          `json:"title"`
		Diff       string          `json:"diff,omitempty"`
		Note       string          `json:"note,omitempty"`
		Command    string          `json:"command,omitempty"`
		Outside    string          `json:"outside,omitempty"`
		Parameters json.RawMessage `json:"parameters,omitempty"`
		Plan       string          `json:"plan,omitempty"`
		Protected  []string        `json:"protected,omitempty"`
		Repeats    string          `json:"repeats,omitempty"`
		// Always describes the permission that an answer with always grants. It is omitted if the question
		// does not accept such an answer.
		Always string `json:"always,omitempty"`
		// Sandbox describes the approval mode to which an answer with sandbox switches. It is omitted if
		// the question offers none.
		Sandbox   string         `json:"sandbox,omitempty"`
		Questions []questionLine `json:"questions,omitempty"`
	}
	questionLine struct {
		Question    string   `json:"question"`
		Options     []string `json:"options"`
		MultiSelect bool     `json:"multiSelect,omitempty"`
	}
	settledLine struct {
		Type string `json:"type"`
		ID   int    `json:"id"`
	}
	// turnLine ends a turn of a run that reads lines of input.
	turnLine struct {
		Type     string       `json:"type"`
		Stop     string       `json:"stop"`
		Response string       `json:"response"`
		Error    string       `json:"error,omitempty"`
		Changed  *FileChanges `json:"changed,omitempty"`
	}
	densityLine struct {
		Type         string              `json:"type"`
		Metadata     history.PruneCounts `json:"metadata"`
		TokensBefore int                 `json:"tokensBefore"`
		TokensAfter  int                 `json:"tokensAfter"`
		// Cut is the price of the pruning pass and its saving with each request, if the strategy has cost
		// accounting.
		*history.PruningCost
	}
	compressionStartedLine struct {
		Type     string `json:"type"`
		Strategy string `json:"strategy"`
		Model    string `json:"model"`
	}
	compressionLine struct {
		Type         string `json:"type"`
		Strategy     string `json:"strategy"`
		Kind         string `json:"kind"`
		Reason       string `json:"reason,omitempty"`
		TokensBefore int    `json:"tokensBefore"`
		TokensAfter  int    `json:"tokensAfter"`
	}
	usageLine struct {
		Type string `json:"type"`
		Usage
	}
	retryLine struct {
		Type    string `json:"type"`
		Attempt int    `json:"attempt"`
		DelayMs int64  `json:"delayMs"`
		Reason  string `json:"reason"`
	}
	noticeLine struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	searchLine struct {
		Type    string   `json:"type"`
		Query   string   `json:"query"`
		Sources []string `json:"sources"`
	}
	warmLine struct {
		Type   string  `json:"type"`
		Wait   string  `json:"wait"`
		Prompt int     `json:"prompt_tokens"`
		Cached int     `json:"cached_tokens"`
		Cost   float64 `json:"cost"`
		Held   bool    `json:"held"`
		Failed string  `json:"failed,omitempty"`
	}
	noteLine struct {
		Type  string   `json:"type"`
		ID    string   `json:"id"`
		State string   `json:"state"`
		Text  string   `json:"text,omitempty"`
		Basis []string `json:"grounds,omitempty"`
	}
	agentStartLine struct {
		Type    string `json:"type"`
		AgentID string `json:"agent_id"`
		Agent   string `json:"agent"`
		Model   string `json:"model"`
		CallID  string `json:"call_id"`
		Title   string `json:"title"`
	}
	agentEndLine struct {
		Type    string  `json:"type"`
		AgentID string  `json:"agent_id"`
		Status  string  `json:"status"`
		Usage   Usage   `json:"usage"`
		Cost    float64 `json:"cost,omitempty"`
		Changed string  `json:"changed"`
	}
	errorLine struct {
		Type  string `json:"type"`
		Error string `json:"error"`
	}
	resultLine struct {
		Type string `json:"type"`
		Result
	}
)

// streamLine returns the JSON line of an event, or nil for an event that scripts do not receive.
func streamLine(e chat.Event) any {
	switch e := e.(type) {
	case chat.TextDelta:
		return deltaLine{"text", e.Delta}
	case chat.ReasoningDelta:
		return deltaLine{"reasoning", e.Delta}
	case chat.CallRequested:
		return toolCallLine{"tool_call", e.ID, e.Name, e.Arguments.Raw()}
	case chat.ToolEnded:
		return toolResultLine{"tool_result", e.ID, e.Name, e.Answer.ModelText(), e.Answer.Error, e.Answer.ExitCode}
	case chat.ApprovalRequested:
		return approvalOf(e.Approval)
	case chat.ApprovalSettled:
		return settledLine{"settled", e.ID}
	case chat.DensityApplied:
		return densityLine{"density", e.Metadata, e.TokensBefore, e.TokensAfter, e.Cut}
	case chat.CompressionStarted:
		return compressionStartedLine{"compression_started", e.Strategy, e.Model}
	case chat.Compressed:
		line := compressionLine{"compression", e.Strategy, "applied", e.Reason, e.TokensBefore, e.TokensAfter}
		switch {
		case e.Failed:
			line.Kind = "failed"
		case !e.Applied:
			line.Kind = "noop"
		}
		return line
	case chat.UsageReported:
		return usageLine{"usage", Usage(e)}
	case chat.Retry:
		return retryLine{"retry", e.Attempt, e.Delay.Milliseconds(), e.Problem()}
	case chat.TextWasThinking:
		return noticeLine{"notice", "the text so far was the model's thinking; the answer follows"}
	case chat.ReplyDiscarded:
		return noticeLine{"notice", "the reply was cut off and does not count; discard the text so far"}
	case chat.Waiting:
		return noticeLine{"notice", waitingText(e)}
	case chat.ProgramWaiting:
		if e.Names == "" {
			return nil
		}
		return noticeLine{"notice", "waiting for " + e.Names}
	case chat.Searched:
		return searchLine{"search", e.Query, append([]string{}, e.Sources...)}
	case chat.Notice:
		return noticeLine{"notice", e.Text}
	case chat.TurnCost:
		return noticeLine{"notice", e.String()}
	case chat.Warmed:
		return warmLine{"warm", e.Wait, e.Prompt, e.Cached, e.Cost, e.Held, e.Failed}
	case chat.Noted:
		return noteLine{"note", e.ID, e.State, e.Text, e.Basis}
	case chat.AgentStarted:
		return agentStartLine{"agent_start", e.ID, e.Agent, e.Model, e.CallID, e.Title}
	case chat.AgentEvent:
		return ofAgent(e, streamLine)
	case chat.AgentEnded:
		if e.Waits { // the subagent has not begun
			return nil
		}
		return agentEndLine{"agent_end", e.ID, e.Status, Usage(e.Stats.UsageReported), e.Stats.Cost, e.Changed}
	case chat.UserMessage:
		return skippedNotice(e)
	default:
		return nil
	}
}

// ofAgent returns the line of an event of a subagent. It is the line that lineOf returns for the event,
// with the id of the subagent as its second member. It is nil if lineOf returns nil.
func ofAgent(e chat.AgentEvent, lineOf func(chat.Event) any) any {
	line := lineOf(e.Event)
	if line == nil {
		return nil
	}
	text, err := rawjson.Marshal(line)
	if err != nil {
		return nil
	}
	at := bytes.IndexByte(text, ',') // the data follows the type
	if at < 0 {
		at = len(text) - 1
	}
	id := rawjson.AppendString([]byte(`,"agent_id":`), e.ID)
	return json.RawMessage(slices.Concat(text[:at], id, text[at:]))
}

func approvalOf(a chat.Approval) approvalLine {
	line := approvalLine{
		Type: "approval", ID: a.ID, AgentID: a.AgentID, Tool: a.Tool, Title: a.Preview.Title, Diff: a.Preview.Diff, Note: a.Preview.Note, Command: a.Preview.Command, Outside: a.Preview.Outside,
		Parameters: a.Preview.Arguments, Plan: a.Preview.Plan, Repeats: a.Repeats, Always: a.Always, Sandbox: a.Sandbox,
	}
	for _, found := range a.Preview.Protected {
		line.Protected = append(line.Protected, found.Path+": "+found.Why)
	}
	for _, inquiry := range a.Preview.Inquiries {
		asked := questionLine{Question: inquiry.Question, MultiSelect: inquiry.Several, Options: []string{}}
		for _, option := range inquiry.Options {
			asked.Options = append(asked.Options, option.Label)
		}
		line.Questions = append(line.Questions, asked)
	}
	return line
}

// skippedNotice reports the files that a message names but does not include. It returns nil if there are
// none.
func skippedNotice(e chat.UserMessage) any {
	if len(e.Skipped) == 0 {
		return nil
	}
	reasons := make([]string, len(e.Skipped))
	for i, s := range e.Skipped {
		reasons[i] = "@" + s.Path + ": " + s.Reason
	}
	return noticeLine{"notice", "not included: " + strings.Join(reasons, "; ")}
}

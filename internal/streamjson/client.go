package streamjson

import (
	"encoding/json"

	"agent/internal/chat"
	"agent/internal/command"
	"agent/internal/tools"
)

// A ClientInput is a line that a client sends to a running session: an Input of type user, answer or
// cancel, or one of the lines for clients at a terminal.
type ClientInput struct {
	Input
	// Private keeps a line for the shell from the model.
	Private bool `json:"private"`
	// Given holds the answers to the inquiries of a question, in their order, in place of Answers.
	Given []tools.InquiryAnswer `json:"given"`
	// Plan is the number of the question of a command to which the line says yes, 0 for none.
	Plan int `json:"plan"`
}

// A Request is a line that a client of this program sends. It is parsed as a ClientInput.
type Request struct {
	Type    string                `json:"type"`
	ID      int                   `json:"id,omitempty"`
	Text    string                `json:"text,omitempty"`
	Content []Part                `json:"content,omitempty"`
	Private bool                  `json:"private,omitempty"`
	Plan    int                   `json:"plan,omitempty"`
	Allow   bool                  `json:"allow,omitempty"`
	Always  bool                  `json:"always,omitempty"`
	Keep    bool                  `json:"keep,omitempty"`
	Sandbox bool                  `json:"sandbox,omitempty"`
	Reason  string                `json:"reason,omitempty"`
	Given   []tools.InquiryAnswer `json:"given,omitempty"`
}

// AnswerLine returns the line that answers a question.
func AnswerLine(question int, d chat.Decision) Request {
	return Request{Type: "answer", ID: question, Allow: d.Allow, Always: d.Always, Keep: d.Keep, Sandbox: d.Sandbox, Reason: d.Reason, Given: d.Answers}
}

// clientTypes lists the types of the lines of clients: besides those of Input a slash command, its
// completion, a line for the shell, the next approval mode, a queued message to give back, and the
// end of the session.
var clientTypes = []string{"user", "answer", "command", "complete", "shell", "mode", "unqueue", "refresh", "aside_end", "key", "stop", "cancel"}

// ParseClient parses a line of a client.
func ParseClient(line []byte) (in ClientInput, err error) {
	if in.Input, err = ParseInput(line, clientTypes...); err != nil {
		return in, err
	}
	kind := in.Type
	err = json.Unmarshal(line, &in)
	in.Type = kind
	return in, err
}

// Decision returns the answer of a line to a question. The error says why nothing is decided.
func (in ClientInput) Decision(a chat.Approval) (chat.Decision, error) {
	if len(in.Given) == 0 || len(in.Given) != len(a.Preview.Inquiries) {
		return in.Input.Decision(a)
	}
	return chat.Decision{Allow: in.Allow, Reason: in.Reason, Answers: in.Given}, nil
}

// A CommandResult is the result of a command, for the client that sent it.
type CommandResult struct {
	Type   string           `json:"type"`
	ID     int              `json:"id"`
	Lines  []string         `json:"lines,omitempty"`
	Answer string           `json:"answer,omitempty"`
	Diff   string           `json:"diff,omitempty"`
	Copy   string           `json:"copy,omitempty"`
	Ask    *CommandQuestion `json:"ask,omitempty"`
	Error  string           `json:"error,omitempty"`
}

// A CommandQuestion is a question of a command. A client says yes with a line of type command that
// has the number of the plan, or runs YesCommand if there is no plan.
type CommandQuestion struct {
	Plan         int           `json:"plan,omitempty"`
	Title        string        `json:"title"`
	Done         []string      `json:"done,omitempty"`
	Parts        []CommandPart `json:"parts,omitempty"`
	YesEffect    string        `json:"yesEffect"`
	YesCommand   string        `json:"yesCommand,omitempty"`
	NoEffect     string        `json:"noEffect,omitempty"`
	NoLine       string        `json:"noLine,omitempty"`
	NeverEffect  string        `json:"neverEffect,omitempty"`
	NeverCommand string        `json:"neverCommand,omitempty"`
}

// A CommandPart is a subject of a CommandQuestion.
type CommandPart struct {
	Title string   `json:"title"`
	Diff  string   `json:"diff,omitempty"`
	Lines []string `json:"lines,omitempty"`
}

// Completion proposes values for the last word of a command.
type Completion struct {
	Type      string               `json:"type"`
	ID        int                  `json:"id"`
	Start     int                  `json:"start"`
	Proposals []command.Completion `json:"proposals"`
}

// Unqueued gives a queued message back to the client.
type Unqueued struct {
	Type  string `json:"type"`
	ID    int    `json:"id"`
	Text  string `json:"text"`
	Empty bool   `json:"empty,omitempty"`
}

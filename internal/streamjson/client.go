package streamjson

import (
	"encoding/json"

	"agent/internal/chat"
	"agent/internal/command"
	"agent/internal/tools"
)

// A ClientInput is a line that a client sends to a running session. It is an Input of type user, answer or
// cancel, or one of the types for clients in a terminal.
type ClientInput struct {
	Input
	// Private hides a shell command from the model.
	Private bool `json:"private,omitempty"`
	// Given holds the answers to the inquiries of a question, in their order. It replaces Answers.
	Given []tools.InquiryAnswer `json:"given,omitempty"`
	// Plan is the number of the question of a command that the line confirms, or 0 for none.
	Plan int `json:"plan,omitempty"`
}

// AnswerLine returns the line that answers a question.
func AnswerLine(question int, d chat.Decision) ClientInput {
	answer := Input{Type: "answer", ID: question, Allow: d.Allow, Always: d.Always, Keep: d.Keep, Sandbox: d.Sandbox, Reason: d.Reason}
	return ClientInput{Input: answer, Given: d.Answers}
}

// clientTypes lists the types of the lines that clients may send: some types of Input, and those for clients
// in a terminal.
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

// Decision returns the answer of a line to a question. If there is no decision, the error is the reason.
func (in ClientInput) Decision(a chat.Approval) (chat.Decision, error) {
	if len(in.Given) == 0 || len(in.Given) != len(a.Preview.Inquiries) {
		return in.Input.Decision(a)
	}
	return chat.Decision{Allow: in.Allow, Reason: in.Reason, Answers: in.Given}, nil
}

// A CommandResult is the result of a slash command, for the client that sent it.
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

// A CommandQuestion is a question of a command. To confirm, a client sends a line of type command with the
// number of the plan. If there is no plan, it runs YesCommand.
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

// UnqueuedMessage returns a queued message to the client.
type UnqueuedMessage struct {
	Type  string `json:"type"`
	ID    int    `json:"id"`
	Text  string `json:"text"`
	Empty bool   `json:"empty,omitempty"`
}

package streamjson

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"agent/internal/atcmd"
	"agent/internal/chat"
	"agent/internal/history"
	"agent/internal/text/lines"
	"agent/internal/tools"
)

// maxInputLine limits a line of input, in bytes.
const maxInputLine = 16 << 20

// An Input is a line that a program sends during a run.
type Input struct {
	// Type is "user", "answer" or "cancel"; "interrupt" means the same as "cancel".
	Type string `json:"type"`
	// Text is the message of the user. Content is the message in parts.
	Text    string `json:"text,omitempty"`
	Content []Part `json:"content,omitempty"`

	// ID is the id of the question to answer.
	ID     int    `json:"id,omitempty"`
	Allow  bool   `json:"allow,omitempty"`
	Always bool   `json:"always,omitempty"`
	Reason string `json:"reason,omitempty"`
	// Keep allows calls of the same kind permanently in this project.
	Keep bool `json:"keep,omitempty"`
	// Sandbox switches to the approval mode that the question offers.
	Sandbox bool `json:"sandbox,omitempty"`
	// Answers maps each question of the model to its answer: a label, several labels, or the user's own
	// words.
	Answers map[string]json.RawMessage `json:"answers,omitempty"`
}

// A Part is a part of a user's message. It is a "text", a text that is "data" and not an instruction, or an
// "image" in a file.
type Part struct {
	Type string `json:"type"`
	Text string `json:"text"`
	Path string `json:"path"`
}

// Message returns the message of a line of type user.
func (in Input) Message() (atcmd.Message, error) {
	message := atcmd.Message{}
	if in.Text != "" {
		message = atcmd.TypedMessage(in.Text)
	}
	for _, part := range in.Content {
		switch {
		case part.Type == "text":
			message = append(message, atcmd.Part{Text: part.Text})
		case part.Type == "data":
			message = append(message, atcmd.Part{Text: part.Text, Source: history.SourcePiped})
		case part.Type == "image" && part.Path != "":
			message = append(message, atcmd.ImagePart(part.Path))
		default:
			return nil, fmt.Errorf("unknown part type %q; use text, data or image (with path)", part.Type)
		}
	}
	if message = message.Trim(); len(message) == 0 {
		return nil, errors.New("a line of type user needs the field text or content")
	}
	return message, nil
}

// ReadInput reads lines until the end of in, and passes each line to take, with an error if the line is
// invalid. A line that is too long counts as one error. ReadInput returns the error that ended reading, or
// nil at the end of input.
func ReadInput(in io.Reader, take func(Input, error)) error {
	reader := bufio.NewReaderSize(in, 64<<10)
	for {
		line, whole, err := lines.Read(reader, nil, maxInputLine)
		switch {
		case !whole:
			take(Input{}, errLongLine)
		case len(bytes.TrimSpace(line)) > 0:
			take(parseInput(line))
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

var errLongLine = errors.New("an input line can have at most 16 MiB")

func parseInput(line []byte) (Input, error) { return ParseInput(line, "user", "answer", "cancel") }

// ParseInput parses a line, which must have one of the types.
func ParseInput(line []byte, types ...string) (Input, error) {
	var in Input
	if err := json.Unmarshal(line, &in); err != nil {
		return in, fmt.Errorf("invalid input line: %w", err)
	}
	if in.Type == "interrupt" {
		in.Type = "cancel"
	}
	if !slices.Contains(types, in.Type) {
		last := len(types) - 1
		return in, fmt.Errorf("unknown line type %q; use %s or %s", in.Type, strings.Join(types[:last], ", "), types[last])
	}
	return in, nil
}

// Decision returns the answer of a line to a question. If the answer is incomplete, it returns an error and
// no decision.
func (in Input) Decision(a chat.Approval) (chat.Decision, error) {
	d := chat.Decision{Allow: in.Allow, Always: in.Always && a.Always != "", Keep: in.Keep && a.ForGood != "", Sandbox: in.Sandbox && a.Sandbox != "", Reason: in.Reason}
	if len(a.Preview.Inquiries) == 0 || !in.Allow && in.Answers == nil {
		return d, nil
	}
	d.Allow, d.Always = true, false
	for _, inquiry := range a.Preview.Inquiries {
		given, err := givenTo(inquiry, in.Answers[inquiry.Question])
		if err != nil {
			return chat.Decision{}, fmt.Errorf("invalid answer to the question %q: %w", inquiry.Question, err)
		}
		d.Answers = append(d.Answers, given)
	}
	return d, nil
}

// givenTo parses the answer to one inquiry.
func givenTo(inquiry tools.Inquiry, raw json.RawMessage) (given tools.InquiryAnswer, err error) {
	var said []string
	if one := ""; json.Unmarshal(raw, &one) == nil {
		said = []string{one}
	} else if json.Unmarshal(raw, &said) != nil {
		return given, errors.New("its value in answers must be a string or a list of strings")
	}
	var words []string
	for _, text := range said {
		if slices.ContainsFunc(inquiry.Options, func(o tools.Option) bool { return o.Label == text }) {
			given.Chosen = append(given.Chosen, text)
		} else if strings.TrimSpace(text) != "" {
			words = append(words, text)
		}
	}
	given.Words = strings.Join(words, "\n")
	switch {
	case len(given.Chosen) == 0 && given.Words == "":
		return given, errors.New("it is empty")
	case len(given.Chosen) > 1 && !inquiry.Several:
		return given, errors.New("only one option can be chosen")
	}
	return given, nil
}

package headless

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

// maxInputLine bounds a line of input, in bytes.
const maxInputLine = 16 << 20

// Input is a line that a program sends during a run.
type Input struct {
	// Type is "user", "answer" or "cancel"; "interrupt" is another word for that.
	Type string `json:"type"`
	// Text is what the user says; Content is the same in parts.
	Text    string `json:"text"`
	Content []Part `json:"content"`

	// ID is that of the question that is answered.
	ID     int    `json:"id"`
	Allow  bool   `json:"allow"`
	Always bool   `json:"always"`
	Reason string `json:"reason"`
	// Answers are those to what the model asks, by the questions: a label, several, or the
	// person's own words.
	Answers map[string]json.RawMessage `json:"answers"`
}

// Part is a part of what the user says: a "text", a text that is "data" and no instruction,
// or an "image" in a file.
type Part struct {
	Type string `json:"type"`
	Text string `json:"text"`
	Path string `json:"path"`
}

// Message is what the user says with a line.
func (in Input) Message() (atcmd.Message, error) {
	message := atcmd.Message{}
	if in.Text != "" {
		message = atcmd.Typed(in.Text)
	}
	for _, part := range in.Content {
		switch {
		case part.Type == "text":
			message = append(message, atcmd.Part{Text: part.Text})
		case part.Type == "data":
			message = append(message, atcmd.Part{Text: part.Text, Source: history.Piped})
		case part.Type == "image" && part.Path != "":
			message = append(message, atcmd.ImagePart(part.Path))
		default:
			return nil, fmt.Errorf("there is no part of type %q: text, data and image (with path) are taken", part.Type)
		}
	}
	if message = message.Trim(); len(message) == 0 {
		return nil, errors.New("a line of type user needs text, or content")
	}
	return message, nil
}

// ReadInput reads lines until the end of in, and hands each to take, or the error of one that
// is none. A line that is too long is one error. It returns why reading ended, nil for the end
// of input.
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

var errLongLine = errors.New("a line of input may be 16 MiB")

func parseInput(line []byte) (Input, error) {
	var in Input
	if err := json.Unmarshal(line, &in); err != nil {
		return in, fmt.Errorf("a line of input is not understood: %w", err)
	}
	switch in.Type {
	case "cancel", "interrupt":
		in.Type = "cancel"
	case "answer", "user":
	default:
		return in, fmt.Errorf("there is no line of type %q: user, answer and cancel are taken", in.Type)
	}
	return in, nil
}

// Decision is the answer of a line to a question. The error says what of it is missing: then
// nothing is decided.
func (in Input) Decision(a chat.Approval) (chat.Decision, error) {
	d := chat.Decision{Allow: in.Allow, Always: in.Always && a.Always != "", Reason: in.Reason}
	if len(a.Preview.Inquiries) == 0 || !in.Allow && in.Answers == nil {
		return d, nil
	}
	d.Allow, d.Always = true, false
	for _, inquiry := range a.Preview.Inquiries {
		given, err := givenTo(inquiry, in.Answers[inquiry.Question])
		if err != nil {
			return chat.Decision{}, fmt.Errorf("the question %q: %w", inquiry.Question, err)
		}
		d.Answers = append(d.Answers, given)
	}
	return d, nil
}

// givenTo reads the answer to one inquiry.
func givenTo(inquiry tools.Inquiry, raw json.RawMessage) (given tools.Given, err error) {
	var said []string
	if one := ""; json.Unmarshal(raw, &one) == nil {
		said = []string{one}
	} else if json.Unmarshal(raw, &said) != nil {
		return given, errors.New("answers must have it, with a text or a list of texts")
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
		return given, errors.New("the answer is empty")
	case len(given.Chosen) > 1 && !inquiry.Several:
		return given, errors.New("only one option can be chosen")
	}
	return given, nil
}

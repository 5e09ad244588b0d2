// Package entries converts the entries of a history to the parts of messages that all wire formats
// share: texts, answers, the arguments of calls in an accepted form, and the ids of calls.
package entries

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"agent/internal/history"
)

// noOutput replaces the empty result of a tool, because servers refuse a tool message without
// content.
const noOutput = "(no output)"

// maxFunctionName is the longest name of a function that servers accept.
const maxFunctionName = 64

// Writer writes entries in a wire format. mark is set for the last entry of a part to cache.
type Writer interface {
	WriteHuman(c *history.Content, mark bool)
	WriteAssistant(c *history.Content)
	WriteResponse(r *history.ToolResponse, mark bool)
}

// Write writes the entries of a history. marked contains the indexes of the entries with a mark. Write
// omits empty entries. Images in tools' answers follow the last answer, because nothing else may be
// between the answers to one reply.
func Write(w Writer, entries []*history.Content, marked map[int]bool) {
	var answered []history.Block
	images := func() {
		if len(answered) > 0 {
			w.WriteHuman(history.New(history.Human, answered...), false)
			answered = nil
		}
	}
	for i, c := range entries {
		switch {
		case c.Empty():
		case c.Speaker == history.Tool:
			answered = append(answered, imagesOf(c)...)
			responses := BlocksOf[*history.ToolResponse](c.Blocks)
			for j, r := range responses {
				w.WriteResponse(r, marked[i] && j == len(responses)-1)
			}
		case c.Speaker == history.AI:
			images()
			w.WriteAssistant(c)
		default:
			images()
			w.WriteHuman(c, marked[i])
		}
	}
	images()
}

// BlocksOf returns the blocks of type B.
func BlocksOf[B history.Block](blocks []history.Block) []B {
	var all []B
	for _, b := range blocks {
		if of, ok := b.(B); ok {
			all = append(all, of)
		}
	}
	return all
}

// JoinText joins text blocks as history.Content.Text does. Each included file is a block with its
// markers on separate lines (D-18). JoinText omits blank blocks, so that a blank text next to calls
// does not count as content.
func JoinText(blocks []history.Block) string {
	var texts []string
	for _, t := range BlocksOf[*history.Text](blocks) {
		if strings.TrimSpace(t.Text) != "" {
			texts = append(texts, t.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// imagesOf returns the images of a tool's answer, or the texts that replace them, after a line that
// explains them. It returns nil if there are none. They are sent as a user message, because a tool
// message can contain only text.
func imagesOf(c *history.Content) []history.Block {
	var images []history.Block
	tool := ""
	for _, b := range c.Blocks {
		switch b := b.(type) {
		case *history.ToolResponse:
			tool = b.ToolName
		case *history.Media, *history.Text:
			images = append(images, b)
		}
	}
	if len(images) == 0 {
		return nil
	}
	return append([]history.Block{&history.Text{Text: "[" + tool + " also returned:]"}}, images...)
}

// ImageURL returns an image as a data URL. ok is false for media of other types.
func ImageURL(m *history.Media) (url string, ok bool) {
	return "data:" + m.MimeType + ";base64," + m.Data, strings.HasPrefix(m.MimeType, "image/")
}

// IsDocument reports whether media are a PDF.
func IsDocument(m *history.Media) bool { return m.MimeType == history.PDF }

// DocumentName is the name under which a PDF is sent, because servers require a name.
const DocumentName = "document.pdf"

// UnsendableText returns a text that replaces media of a type that no API accepts.
func UnsendableText(m *history.Media) string {
	return fmt.Sprintf("(omitted: an attachment of type %s, which the API does not support)", m.MimeType)
}

// ResponseText returns a tool's answer as the model reads it: result, exit code and error. It
// is never empty.
func ResponseText(r *history.ToolResponse) string {
	text := r.Result.Text()
	if r.Error == "" && r.ExitCode == nil && strings.TrimSpace(text) != "" {
		return text
	}
	var parts []string
	if strings.TrimSpace(text) != "" {
		parts = append(parts, text)
	} else if r.Error == "" {
		parts = append(parts, noOutput)
	}
	if r.ExitCode != nil && !says(r, fmt.Sprintf("exit %d", *r.ExitCode)) {
		parts = append(parts, fmt.Sprintf("Exit code: %d", *r.ExitCode))
	}
	if r.Error != "" {
		parts = append(parts, "Error: "+r.Error)
	}
	return strings.Join(parts, "\n")
}

// says reports whether the error or the result of a response contains part. In the result, part must be
// in the last line, or in a line after which all lines are notes in brackets.
func says(r *history.ToolResponse, part string) bool {
	if strings.Contains(r.Error, part) {
		return true
	}
	text := strings.TrimRight(r.Result.Text(), "\n")
	for {
		end := strings.LastIndexByte(text, '\n')
		if line := text[end+1:]; strings.Contains(line, part) || end < 0 || !strings.HasPrefix(line, "[") {
			return strings.Contains(line, part)
		}
		text = text[:end]
	}
}

// Arguments returns a call's parameters as a JSON object. Other values are wrapped in an object,
// because servers parse the arguments of old calls and would refuse the whole request.
func Arguments(call *history.ToolCall) []byte {
	parameters := bytes.TrimSpace(call.Parameters)
	switch {
	case len(parameters) == 0 || string(parameters) == "null":
		return []byte("{}")
	case parameters[0] == '{':
		return parameters
	default:
		return append(append([]byte(`{"malformed_arguments":`), parameters...), '}')
	}
}

// FunctionName returns a name in the form that servers accept. The model may invent an invalid
// name, and servers would then refuse every later request of the conversation.
func FunctionName(name string) string {
	mapped := cmp.Or(plainName(name), "unknown")
	return mapped[:min(len(mapped), maxFunctionName)]
}

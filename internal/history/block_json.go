package history

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"iter"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Blocks are the parts of an entry in order. In JSON, the member "type" of each block contains its
// kind.
type Blocks []Block

// typed is a block with its kind, as in the JSON of an entry.
type typed[B any] struct {
	Type string `json:"type"`
	Body *B     `json:",embed"`
}

// MarshalJSONTo implements json.MarshalerTo.
func (b Blocks) MarshalJSONTo(out *jsontext.Encoder) error {
	err := out.WriteToken(jsontext.BeginArray)
	for _, block := range b {
		if err == nil {
			err = writeBlock(out, block)
		}
	}
	if err == nil {
		err = out.WriteToken(jsontext.EndArray)
	}
	return err
}

func writeBlock(out *jsontext.Encoder, block Block) error {
	switch b := block.(type) {
	case *Text:
		return json.MarshalEncode(out, typed[Text]{b.Kind(), b})
	case *Thinking:
		return json.MarshalEncode(out, typed[Thinking]{b.Kind(), b})
	case *ToolCall:
		return json.MarshalEncode(out, typed[ToolCall]{b.Kind(), b})
	case *ToolResponse:
		return json.MarshalEncode(out, typed[ToolResponse]{b.Kind(), b})
	case *Media:
		return json.MarshalEncode(out, typed[Media]{b.Kind(), b})
	}
	return fmt.Errorf("can't write a block of unknown type %T", block)
}

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (b *Blocks) UnmarshalJSONFrom(in *jsontext.Decoder) error {
	open, err := in.ReadToken()
	if err != nil || open.Kind() == 'n' {
		return err
	}
	if open.Kind() != '[' {
		return &FieldError{in.StackPointer(), "must be a list"}
	}
	*b = Blocks{}
	for in.PeekKind() != ']' {
		block, err := readBlock(in)
		if wrong := (*FieldError)(nil); errors.As(err, &wrong) {
			wrong.At = jsontext.Pointer(fmt.Sprintf("/blocks/%d", len(*b))) + wrong.At
		}
		if err != nil {
			return err
		}
		*b = append(*b, block)
	}
	_, err = in.ReadToken()
	return err
}

// readBlock reads a block in one pass. It looks ahead for the type, which is needed to read the other
// members.
func readBlock(in *jsontext.Decoder) (Block, error) {
	if in.PeekKind() != '{' {
		_, err := in.ReadValue()
		return nil, cmp.Or(err, error(&FieldError{"", "is not a JSON object"}))
	}
	kind, err := kindAhead(in)
	if err != nil {
		return nil, err
	}
	switch string(kind) {
	case "text":
		return readAs(in, new(Text))
	case "thinking":
		return readAs(in, new(Thinking))
	case "tool_call":
		return readCall(in)
	case "tool_response":
		return readAs(in, new(ToolResponse))
	case "media":
		return readAs(in, new(Media))
	}
	return nil, &FieldError{"/type", fmt.Sprintf("unknown block type %q; known are text, thinking, tool_call, tool_response, media", kind)}
}

func readAs[B any, P interface {
	*B
	Block
}](in *jsontext.Decoder, block P) (Block, error) {
	read := typed[B]{Body: (*B)(block)}
	err := json.UnmarshalDecode(in, &read)
	if err == nil && read.Type != block.Kind() {
		err = &FieldError{"/type", "appears twice"}
	}
	return block, err
}

func readCall(in *jsontext.Decoder) (Block, error) {
	call := new(ToolCall)
	block, err := readAs(in, call)
	if err == nil && call.Parameters != nil {
		err = (*jsontext.Value)(&call.Parameters).Compact()
	}
	return block, err
}

// kindAhead returns the type of the next block without consuming input. Usually the type is the first
// member. The whole input is in memory, so kindAhead can search all of it.
func kindAhead(in *jsontext.Decoder) ([]byte, error) {
	ahead := bytes.TrimLeft(in.UnreadBuffer(), " \t\r\n,")
	if rest, ok := bytes.CutPrefix(ahead, []byte(`{"type":"`)); ok {
		if kind, _, ok := bytes.Cut(rest, []byte(`"`)); ok && !bytes.ContainsRune(kind, '\\') {
			return kind, nil
		}
	}
	data, err := jsontext.NewDecoder(bytes.NewReader(ahead), asItCame).ReadValue()
	if err != nil {
		return nil, err
	}
	var first struct {
		Type *string `json:"type"`
	}
	switch err := json.Unmarshal(data, &first, asItCame); {
	case err != nil:
		return nil, fieldError(err)
	case first.Type == nil:
		return nil, required(data, "/type", "a string")
	}
	return []byte(*first.Type), nil
}

// requiredMembers yields the members that block must have, with their values.
func requiredMembers(block Block) iter.Seq2[string, string] {
	return func(yield func(name, value string) bool) {
		switch b := block.(type) {
		case *Text:
			yield("text", b.Text)
		case *Thinking:
			yield("thought", b.Thought)
		case *ToolCall:
			_ = yield("id", b.ID) && yield("name", b.Name)
		case *ToolResponse:
			_ = yield("callId", b.CallID) && yield("toolName", b.ToolName)
		case *Media:
			_ = yield("mimeType", b.MimeType) && yield("data", b.Data)
		}
	}
}

package history

import (
	"bytes"
	"encoding/json"
	"maps"
	"strings"

	"agent/internal/rawjson"

	"github.com/go-json-experiment/json/jsontext"
)

// Speaker is the source of an entry.
type Speaker string

// The three speakers of a conversation.
const (
	Human Speaker = "human"
	AI    Speaker = "ai"
	Tool  Speaker = "tool"
)

// Content is one entry of a conversation: what one speaker said, as a list of
// blocks. An entry is immutable once it has been given to anybody; an edit is a
// new entry that may share unchanged blocks with the old one. Memoised counts
// depend on that.
type Content struct {
	Speaker  Speaker  `json:"speaker"`
	Blocks   Blocks   `json:"blocks"`
	Metadata Metadata `json:"metadata,omitzero"`

	// Unknown holds members of other versions, for the round trip.
	Unknown jsontext.Value `json:",embed"`

	counts TokenCounts // see SetTokens
	id     *identity
}

// Metadata is free information about an entry, kept as it came.
type Metadata map[string]any

// Keys of Metadata that this program itself sets.
const (
	// MetaKey names what the result of the entry is the content of; newer content of the
	// same key takes its place.
	MetaKey = "key"
	// MetaSummary marks an entry written by compression in place of others.
	MetaSummary = "summary"
	// MetaFiles names, in a human entry, the moment in the history of the files at which
	// it was said (a snapshot.Mark).
	MetaFiles = "files"
	// MetaChange names, in a tool entry, the change of files that its call made (a
	// snapshot.Mark).
	MetaChange = "change"
	// MetaUndone marks a tool entry whose change of files was undone: the write
	// supersedes nothing (D-48).
	MetaUndone = "undone"
	// MetaInterrupted marks an ai entry whose reply was cut before its end.
	MetaInterrupted = "interrupted"
	// MetaFiltered marks an ai entry whose reply the provider's content filter has cut.
	MetaFiltered = "filtered"
	// MetaModel names the model that wrote an ai entry.
	MetaModel = "model"
	// MetaScale says, in an ai entry, how many tokens the provider counts for each that we
	// count of its model (D-09).
	MetaScale = "scale"
	// MetaWorkspace is the folder that relative paths of an entry mean, where it is
	// not that of the session (D-44).
	MetaWorkspace = "workspace"
)

// identity is what all forms of one entry share.
type identity struct{ _ byte } // two values of size zero may have one address

// SameEntry reports whether c and other are forms of one entry: one was made of the other
// by methods that return a changed copy.
func (c *Content) SameEntry(other *Content) bool { return c.id != nil && c.id == other.id }

// New returns an entry of speaker with blocks.
func New(speaker Speaker, blocks ...Block) *Content {
	return &Content{Speaker: speaker, Blocks: blocks, id: new(identity)}
}

// HumanText returns a human entry holding one text block.
func HumanText(text string) *Content { return New(Human, &Text{Text: text}) }

// WithBlocks returns a copy of c that holds blocks instead; speaker, metadata
// and unknown fields stay.
func (c *Content) WithBlocks(blocks []Block) *Content {
	edited := *c
	edited.Blocks, edited.counts = blocks, TokenCounts{}
	return &edited
}

// WithMeta returns a copy of c with one metadata key set.
func (c *Content) WithMeta(key string, value any) *Content {
	edited := *c
	if edited.Metadata = maps.Clone(c.Metadata); edited.Metadata == nil {
		edited.Metadata = Metadata{}
	}
	edited.Metadata[key] = value
	return &edited
}

// MetaOf is what is noted at an entry under a key, also after a record has turned it into
// JSON; false where nothing of that type is.
func MetaOf[T any](c *Content, key string) (noted T, ok bool) {
	switch value := c.Metadata[key].(type) {
	case nil:
	case T:
		return value, true
	default:
		if data, err := json.Marshal(value); err == nil && json.Unmarshal(data, &noted) == nil {
			return noted, true
		}
	}
	var none T
	return none, false
}

// WithoutMeta returns a copy of c without one metadata key.
func (c *Content) WithoutMeta(key string) *Content {
	edited := *c
	edited.Metadata = maps.Clone(c.Metadata)
	delete(edited.Metadata, key)
	return &edited
}

// Text returns the entry's text blocks joined by newlines.
func (c *Content) Text() string { return c.text(func(*Text) bool { return true }) }

func (c *Content) text(of func(*Text) bool) string {
	var texts []string
	for _, b := range c.Blocks {
		if t, ok := b.(*Text); ok && of(t) {
			texts = append(texts, t.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// Workspace returns the folder that relative paths of the entry mean, empty for
// that of the session (D-44).
func (c *Content) Workspace() string {
	root, _ := c.Metadata[MetaWorkspace].(string)
	return root
}

// Scale returns the model that wrote the entry, and how many tokens its provider counts for
// each of ours; false where the entry does not say so.
func (c *Content) Scale() (model string, ratio float64, known bool) {
	model, named := c.Metadata[MetaModel].(string)
	ratio, known = MetaOf[float64](c, MetaScale)
	return model, ratio, named && known
}

// Calls returns the tool calls of the entry in order.
func (c *Content) Calls() []*ToolCall {
	var calls []*ToolCall
	for _, b := range c.Blocks {
		if call, ok := b.(*ToolCall); ok {
			calls = append(calls, call)
		}
	}
	return calls
}

// Key is what the results of the entry are the content of, empty for most (MetaKey).
func (c *Content) Key() string {
	key, _ := c.Metadata[MetaKey].(string)
	return key
}

// Instructs reports whether the content of a key says how to work, as a skill does. Such
// content is never too old; what a server answered is, as what was found.
func Instructs(key string) bool { return key != "" && !strings.HasPrefix(key, ServerKey) }

// ServerKey begins the keys of what servers of tools answer.
const ServerKey = "mcp:"

// Keyed returns the text of the entry that is the content of a key: of a block that
// carries it, or the result of a tool whose entry does.
func (c *Content) Keyed(key string) (text string, found bool) {
	for _, block := range c.Blocks {
		switch b := block.(type) {
		case *Text:
			if b.Key == key {
				return b.Text, true
			}
		case *ToolResponse:
			if c.Metadata[MetaKey] == key {
				return b.Result.Text(), true
			}
		}
	}
	return "", false
}

// MarshalJSON implements json.Marshaler.
func (m Metadata) MarshalJSON() ([]byte, error) { return rawjson.Marshal(map[string]any(m)) }

// UnmarshalJSON implements json.Unmarshaler. Numbers keep their digits.
func (m *Metadata) UnmarshalJSON(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	return d.Decode((*map[string]any)(m))
}

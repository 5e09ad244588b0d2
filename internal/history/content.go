package history

import (
	"bytes"
	"encoding/json"
	"maps"
	"strings"

	"agent/internal/base/rawjson"

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

// Content is one entry of a conversation: the text, calls or results of one speaker, as a list of
// blocks. An entry is immutable once it is shared, because its stored token counts depend on its
// blocks. To edit an entry, make a new one, which may share unchanged blocks with the old one.
type Content struct {
	Speaker  Speaker  `json:"speaker"`
	Blocks   Blocks   `json:"blocks"`
	Metadata Metadata `json:"metadata,omitzero"`

	// Unknown holds members of other versions, for the round trip.
	Unknown jsontext.Value `json:",embed"`

	counts TokenCounts // see SetTokens
	id     *identity
}

// Metadata is additional information about an entry, stored unchanged.
type Metadata map[string]any

// Keys of Metadata that this program sets.
const (
	// MetaKey identifies the source of the content in the entry's result. Newer content with the same
	// key replaces it.
	MetaKey = "key"
	// MetaSummary marks an entry that a compression wrote to replace other entries.
	MetaSummary = "summary"
	// MetaFiles is, in a human entry, the state of the files when the message was sent (a
	// snapshot.Mark).
	MetaFiles = "files"
	// MetaChange is, in a tool entry, the change of files that its call made (a snapshot.Mark).
	MetaChange = "change"
	// MetaUndone marks a tool entry whose change of files was undone, so that the write makes
	// no earlier read of the file outdated (D-48).
	MetaUndone = "undone"
	// MetaStarted is, in a tool entry, the subagent that its call started in the background.
	MetaStarted = "started"
	// MetaReports lists, in a human entry, the background subagents whose reports it contains.
	MetaReports = "reports"
	// MetaInterrupted marks an ai entry whose reply was interrupted.
	MetaInterrupted = "interrupted"
	// MetaFiltered marks an ai entry whose reply was ended by the provider's content filter.
	MetaFiltered = "filtered"
	// MetaModel is the model that wrote an ai entry.
	MetaModel = "model"
	// MetaScale is, in an ai entry, the number of tokens that the provider counts for each token
	// counted here, for the entry's model (D-09).
	MetaScale = "scale"
	// MetaLimit is, in an ai entry, the LearnedLimit of the entry's model.
	MetaLimit = "limit"
	// MetaWorkspace is the folder of relative paths in the entry, if it differs from the folder
	// of the session (D-44).
	MetaWorkspace = "workspace"
)

// identity is shared by all forms of one entry.
type identity struct{ _ byte } // not of size zero: two values of size zero may have the same address

// SameEntry reports whether c and other are forms of one entry: one was made from the other by methods
// that return a changed copy.
func (c *Content) SameEntry(other *Content) bool { return c.id != nil && c.id == other.id }

// New returns an entry of speaker with blocks.
func New(speaker Speaker, blocks ...Block) *Content {
	return &Content{Speaker: speaker, Blocks: blocks, id: new(identity)}
}

// HumanText returns a human entry with one text block.
func HumanText(text string) *Content { return New(Human, &Text{Text: text}) }

// WithBlocks returns a copy of c with other blocks. Speaker, metadata and unknown fields are the same.
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

// MetaOf returns the value of an entry's metadata under a key. It also converts a value that was read
// as JSON from a log. It returns false if there is no value of type T.
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

// Workspace returns the folder of relative paths in the entry, or "" for the folder of the
// session (D-44).
func (c *Content) Workspace() string {
	root, _ := c.Metadata[MetaWorkspace].(string)
	return root
}

// Scale returns the model that wrote the entry, and the number of tokens that its provider counts for
// each token counted here. It returns false if the entry does not contain them.
func (c *Content) Scale() (model string, ratio float64, known bool) {
	model, named := c.Metadata[MetaModel].(string)
	ratio, known = MetaOf[float64](c, MetaScale)
	return model, ratio, named && known
}

// A LearnedLimit is a context window learned from a refusal, in tokens, when Configured was the
// configured one. It applies until another context window or endpoint is configured. Endpoint is a
// checksum of the configured endpoint; 0 in records of earlier programs means any.
type LearnedLimit struct {
	Tokens     int    `json:"tokens"`
	Configured int    `json:"configured"`
	Endpoint   uint32 `json:"endpoint,omitempty"`
}

// Limit returns the model that wrote the entry, and its learned limit. It returns false if the entry
// does not contain them.
func (c *Content) Limit() (model string, limit LearnedLimit, known bool) {
	model, named := c.Metadata[MetaModel].(string)
	limit, known = MetaOf[LearnedLimit](c, MetaLimit)
	return model, limit, named && known && limit.Tokens > 0
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

// Key returns the key of the content in the entry's results (MetaKey), or "" if there is none.
func (c *Content) Key() string {
	key, _ := c.Metadata[MetaKey].(string)
	return key
}

// IsInstructionKey reports whether content with a key instructs the model, as a skill does. Such content never
// becomes too old. The answer of a tool server does, like any search result.
func IsInstructionKey(key string) bool { return key != "" && !strings.HasPrefix(key, ServerKey) }

// ServerKey is the beginning of the keys of answers from tool servers.
const ServerKey = "mcp:"

// KeyedText returns the text in the entry that is the content with a key. It is the text of a block with
// the key, or the result of a tool if the entry has the key.
func (c *Content) KeyedText(key string) (text string, found bool) {
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

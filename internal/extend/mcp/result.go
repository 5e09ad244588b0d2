package mcp

import (
	"encoding/json"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Result is the answer to a call.
type Result struct {
	Blocks []Block
	// Structured is the structured result as JSON with sorted keys, empty if there is none.
	Structured json.RawMessage
	// IsError is set if the tool itself reports a failure in Blocks.
	IsError bool
}

// Kind is the kind of a block.
type Kind int

// The kinds of blocks.
const (
	Text Kind = iota
	Image
	// Blob is audio, or a resource that is not text.
	Blob
	// Link names a resource that is not included.
	Link
)

// Block is a part of a result, a prompt or a resource.
type Block struct {
	Kind Kind
	// Text is the text of the block, or the description of a link.
	Text string
	// Data is the content of an image or a blob.
	Data []byte
	MIME string
	// URI is the address of a link or of an included resource.
	URI string
	// Name is the name of a link.
	Name string
	// Role is the role of a message in a prompt: user or assistant.
	Role string
	// ForUser is set if the block is for the user and not for the model.
	ForUser bool
}

func resultOf(r *sdk.CallToolResult) Result {
	result := Result{IsError: r.IsError, Structured: structuredOf(r)}
	for _, content := range r.Content {
		result.Blocks = append(result.Blocks, blockOf(content))
	}
	return result
}

func blockOf(content sdk.Content) (b Block) {
	var notes *sdk.Annotations
	switch c := content.(type) {
	case *sdk.TextContent:
		b, notes = Block{Text: c.Text}, c.Annotations
	case *sdk.ImageContent:
		b, notes = Block{Kind: Image, Data: c.Data, MIME: c.MIMEType}, c.Annotations
	case *sdk.AudioContent:
		b, notes = Block{Kind: Blob, Data: c.Data, MIME: c.MIMEType}, c.Annotations
	case *sdk.ResourceLink:
		b, notes = Block{Kind: Link, URI: c.URI, Name: c.Name, MIME: c.MIMEType, Text: c.Description}, c.Annotations
	case *sdk.EmbeddedResource:
		if c.Resource != nil {
			b, notes = contentsOf(c.Resource), c.Annotations
		}
	}
	// A block is only for the user if its audience does not include the assistant.
	b.ForUser = notes != nil && len(notes.Audience) > 0 && !slices.Contains(notes.Audience, "assistant")
	return b
}

func contentsOf(r *sdk.ResourceContents) Block {
	b := Block{Kind: Text, Text: r.Text, MIME: r.MIMEType, URI: r.URI}
	if r.Blob != nil {
		b.Kind, b.Data = Blob, r.Blob
		if strings.HasPrefix(r.MIMEType, "image/") {
			b.Kind = Image
		}
	}
	return b
}

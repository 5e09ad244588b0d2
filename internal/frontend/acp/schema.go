package acp

import "encoding/json"

// The messages that editors send.

type initializeParams struct {
	ClientCapabilities struct {
		Session struct {
			Notices    json.RawMessage `json:"notices"`
			Compaction json.RawMessage `json:"compaction"`
		} `json:"session"`
		FS struct {
			ReadTextFile bool `json:"readTextFile"`
		} `json:"fs"`
		Auth struct {
			Terminal bool `json:"terminal"`
		} `json:"auth"`
	} `json:"clientCapabilities"`
}

// sessionParams holds the parameters of all requests about a session.
type sessionParams struct {
	SessionID  string            `json:"sessionId"`
	Cwd        string            `json:"cwd"`
	MCPServers []json.RawMessage `json:"mcpServers"`
	Prompt     []contentBlock    `json:"prompt"`
	ModeID     string            `json:"modeId"`
	ConfigID   string            `json:"configId"`
	Value      json.RawMessage   `json:"value"`
	Cursor     string            `json:"cursor"`
}

// contentBlock is a part of a message, in both directions.
type contentBlock struct {
	Type     string    `json:"type"`
	Text     string    `json:"text,omitempty"`
	MimeType string    `json:"mimeType,omitempty"`
	Data     string    `json:"data,omitempty"`
	URI      string    `json:"uri,omitempty"`
	Resource *resource `json:"resource,omitempty"`
}

type resource struct {
	URI  string `json:"uri"`
	Text string `json:"text"`
	Blob string `json:"blob"`
}

// The messages that editors receive.

type update map[string]any

type location struct {
	Path string `json:"path"`
}

type diffContent struct {
	Type    string  `json:"type"`
	Path    string  `json:"path"`
	OldText *string `json:"oldText"`
	NewText string  `json:"newText"`
}

type textContent struct {
	Type    string       `json:"type"`
	Content contentBlock `json:"content"`
}

func textOf(text string) textContent {
	return textContent{"content", contentBlock{Type: "text", Text: text}}
}

type permissionOption struct {
	OptionID string `json:"optionId"`
	Name     string `json:"name"`
	Kind     string `json:"kind"`
}

package logs

import (
	"cmp"
	"encoding/json"
)

// piRecord is a line of a session of pi.
type piRecord struct {
	Type      string `json:"type"`
	Cwd       string `json:"cwd"`
	Summary   string `json:"summary"`
	Timestamp moment `json:"timestamp"`
	Message   struct {
		Role       string          `json:"role"`
		Model      string          `json:"model"`
		Content    json.RawMessage `json:"content"`
		ToolCallID string          `json:"toolCallId"`
		IsError    bool            `json:"isError"`
		Timestamp  moment          `json:"timestamp"`
	} `json:"message"`
}

// piNames maps the names of pi's tools to ours.
var piNames = map[string]string{
	"read": "read_file", "write": "write_file", "edit": "replace", "bash": shellTool,
	"grep": "search_file_content", "find": "glob", "search": "search_file_content", "ls": "list_directory",
}

// piParameters maps the parameters of pi's tools to ours.
var piParameters = map[string]string{"path": "file_path", "oldText": "old_string", "newText": "new_string"}

type pi struct{ into *conversation }

func (p pi) line(line []byte) error {
	var r piRecord
	if err := decode(line, &r); err != nil {
		return err
	}
	switch r.Type {
	case "session":
		p.into.project = r.Cwd
	case "compaction":
		if err := p.into.end(); err != nil {
			return err
		}
		p.into.say(r.Summary, r.Timestamp.time)
	case "message":
		p.message(r)
	}
	return nil
}

func (p pi) message(r piRecord) {
	at := r.Message.Timestamp.time
	if at.IsZero() {
		at = r.Timestamp.time
	}
	blocks := blocksOf(r.Message.Content)
	switch r.Message.Role {
	case "user":
		for _, b := range blocks {
			p.into.say(b.Text, at)
		}
	case "assistant":
		t := p.into.reply("", at)
		p.into.models[r.Message.Model]++
		for _, b := range blocks {
			p.block(t, b)
		}
	case "toolResult":
		text := ""
		for _, b := range blocks {
			text += b.Text
		}
		p.into.answer(answer{call: r.Message.ToolCallID, text: text, failed: r.Message.IsError, at: at})
	}
}

func (p pi) block(t *turn, b block) {
	switch b.Type {
	case "text":
		p.into.text(t, b.Text)
	case "thinking":
		p.into.thought(t, b.Thinking)
	case "toolCall":
		args := map[string]json.RawMessage{}
		for name, value := range b.Arguments {
			args[cmp.Or(piParameters[name], name)] = value
		}
		raw, err := json.Marshal(args)
		if err != nil {
			raw = nil
		}
		p.into.call(t, b.ID, b.Name, raw)
	}
}

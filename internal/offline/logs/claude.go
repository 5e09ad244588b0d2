package logs

import (
	"encoding/json"
	"strings"
)

// claudeRecord is a line of a session of Claude Code.
type claudeRecord struct {
	Type             string `json:"type"`
	Subtype          string `json:"subtype"`
	UUID             string `json:"uuid"`
	Cwd              string `json:"cwd"`
	Timestamp        moment `json:"timestamp"`
	IsSidechain      bool   `json:"isSidechain"`
	IsMeta           bool   `json:"isMeta"`
	IsCompactSummary bool   `json:"isCompactSummary"`
	Message          struct {
		ID      string          `json:"id"`
		Model   string          `json:"model"`
		Content json.RawMessage `json:"content"`
	} `json:"message"`
}

// claudeNames maps the names of Claude Code's tools to ours.
var claudeNames = map[string]string{
	"Read": "read_file", "Write": "write_file", "Edit": "replace", "MultiEdit": "multi_edit",
	"Bash": shellTool, "Grep": "search_file_content", "Glob": "glob", "LS": "list_directory",
	"TodoWrite": "todo_write", "WebFetch": "web_fetch",
}

// claude reads a session of Claude Code. It leaves out the replies of subagents, which are other
// conversations.
type claude struct{ *conversation }

func (c claude) line(line []byte) error {
	var r claudeRecord
	if err := decode(line, &r); err != nil {
		return err
	}
	if r.IsSidechain || r.UUID != "" && c.seen[r.UUID] {
		return nil
	}
	if r.UUID != "" {
		c.seen[r.UUID] = true
	}
	if (r.IsCompactSummary || r.Subtype == "compact_boundary") && len(c.turns) > 0 {
		if err := c.end(); err != nil {
			return err
		}
	}
	if c.project == "" {
		c.project = r.Cwd
	}
	switch {
	case r.Type == "assistant" && r.Message.Model != "<synthetic>":
		c.assistant(r)
	case r.Type == "user" && !r.IsMeta:
		c.user(r)
	}
	return nil
}

func (c claude) assistant(r claudeRecord) {
	t := c.reply(r.Message.ID, r.Timestamp.Time)
	c.models[r.Message.Model]++
	for _, b := range blocksOf(r.Message.Content) {
		switch b.Type {
		case "text":
			c.text(t, b.Text)
		case "thinking":
			c.thought(t, b.Thinking)
		case "tool_use":
			c.call(t, b.ID, b.Name, b.Input)
		}
	}
}

func (c claude) user(r claudeRecord) {
	var said []string
	for _, b := range blocksOf(r.Message.Content) {
		switch b.Type {
		case "tool_result":
			text := claudeText(b.Content)
			if c.tools[b.ToolUseID] == "read_file" {
				text = numbered(text)
			}
			a := answer{call: b.ToolUseID, text: text, failed: b.IsError, at: r.Timestamp.Time}
			if c.tools[b.ToolUseID] == shellTool && !b.IsError {
				a.exit = new(int)
			}
			c.answer(a)
		case "text":
			said = append(said, b.Text)
		case "image":
			said = append(said, imageText)
		}
	}
	c.say(strings.Join(said, "\n"), r.Timestamp.Time)
}

// imageText stands for an image in a replay, since no log has its size.
const imageText = "[image]"

// numbered changes the line numbers of a file that was read into the form of our own tools.
func numbered(text string) string {
	const arrow = "→"
	var b strings.Builder
	for line := range strings.Lines(text) {
		number, rest, found := strings.Cut(line, arrow)
		if digits := strings.TrimLeft(number, " "); found && digits != "" && strings.Trim(digits, "0123456789") == "" {
			b.WriteString(number + "|" + rest)
		} else {
			b.WriteString(line)
		}
	}
	return b.String()
}

// claudeText returns the text of a result.
func claudeText(raw json.RawMessage) string {
	var parts []string
	for _, b := range blocksOf(raw) {
		switch b.Type {
		case "text":
			parts = append(parts, b.Text)
		case "image":
			parts = append(parts, imageText)
		case "tool_reference":
			parts = append(parts, b.ToolName)
		}
	}
	return strings.Join(parts, "\n")
}

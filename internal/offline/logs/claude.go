package logs

import (
	"cmp"
	"encoding/json"
	"strings"
)

// claudeRecord is a line of a session of Claude Code.
type claudeRecord struct {
	Type             string `json:"type"`
	Subtype          string `json:"subtype"`
	UUID             string `json:"uuid"`
	ParentUUID       string `json:"parentUuid"`
	SessionID        string `json:"sessionId"`
	AgentID          string `json:"agentId"`
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

// claude reads a session of Claude Code with the conversations of its subagents, or a file with only
// such conversations.
type claude struct {
	into *conversation
	// chains maps records of subagents without an id to the first record of their conversation.
	chains map[string]string
}

func (c *claude) side(r claudeRecord) *conversation {
	id := r.AgentID
	if id == "" {
		id = cmp.Or(c.chains[r.ParentUUID], r.UUID)
		c.chains[r.UUID] = id
	}
	if c.into.sides[id] == nil {
		side := newConversation(c.into.form, c.into.use)
		side.of, side.project = r.SessionID, cmp.Or(r.Cwd, c.into.project)
		c.into.sides[id] = side
	}
	return c.into.sides[id]
}

func (c *claude) line(line []byte) error {
	var r claudeRecord
	if err := decode(line, &r); err != nil {
		return err
	}
	if r.UUID != "" && c.into.seen[r.UUID] {
		return nil
	}
	if r.UUID != "" {
		c.into.seen[r.UUID] = true
	}
	if r.IsSidechain {
		r.addTo(c.side(r))
		return nil
	}
	if (r.IsCompactSummary || r.Subtype == "compact_boundary") && len(c.into.turns) > 0 {
		if err := c.into.end(); err != nil {
			return err
		}
	}
	r.addTo(c.into)
	return nil
}

func (r claudeRecord) addTo(into *conversation) {
	if into.project == "" {
		into.project = r.Cwd
	}
	switch {
	case r.Type == "assistant" && r.Message.Model != "<synthetic>":
		r.assistant(into)
	case r.Type == "user" && !r.IsMeta:
		r.user(into)
	}
}

func (r claudeRecord) assistant(into *conversation) {
	t := into.reply(r.Message.ID, r.Timestamp.time)
	into.models[r.Message.Model]++
	for _, b := range blocksOf(r.Message.Content) {
		switch b.Type {
		case "text":
			into.text(t, b.Text)
		case "thinking":
			into.thought(t, b.Thinking)
		case "tool_use":
			into.call(t, b.ID, b.Name, b.Input)
		}
	}
}

func (r claudeRecord) user(into *conversation) {
	var said []string
	for _, b := range blocksOf(r.Message.Content) {
		switch b.Type {
		case "tool_result":
			text := claudeText(b.Content)
			if into.tools[b.ToolUseID] == "read_file" {
				text = renumber(text)
			}
			a := answer{call: b.ToolUseID, text: text, failed: b.IsError, at: r.Timestamp.time}
			if into.tools[b.ToolUseID] == shellTool && !b.IsError {
				a.exit = new(int)
			}
			into.answer(a)
		case "text":
			said = append(said, b.Text)
		case "image":
			said = append(said, imageText)
		}
	}
	into.say(strings.Join(said, "\n"), r.Timestamp.time)
}

// imageText represents an image in a replay, because no log contains its size.
const imageText = "[image]"

// renumber converts the line numbers of a file that was read to the form of our own tools.
func renumber(text string) string {
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

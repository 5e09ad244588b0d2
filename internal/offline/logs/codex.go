package logs

import (
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"agent/internal/base/lazyregexp"
)

// codexRecord is a line of a rollout of codex. The item is in payload. Until 2025 the line was the item
// itself.
type codexRecord struct {
	Type      string          `json:"type"`
	Timestamp moment          `json:"timestamp"`
	Payload   json.RawMessage `json:"payload"`
}

// codexItem is a message, a reasoning item, a call or an answer.
type codexItem struct {
	Type      string          `json:"type"`
	Role      string          `json:"role"`
	Name      string          `json:"name"`
	CallID    string          `json:"call_id"`
	Arguments string          `json:"arguments"`
	Input     string          `json:"input"`
	Output    json.RawMessage `json:"output"`
	Message   string          `json:"message"`
	Content   json.RawMessage `json:"content"`
	Summary   []struct {
		Text string `json:"text"`
	} `json:"summary"`
	Action struct {
		Command          []string `json:"command"`
		WorkingDirectory string   `json:"working_directory"`
	} `json:"action"`
}

// codex reads a rollout.
type codex struct {
	into *conversation
	open *turn // the reply being assembled, or nil
	// model is the model of the present turn.
	model string
}

func (c *codex) line(line []byte) error {
	var r codexRecord
	if err := decode(line, &r); err != nil {
		return err
	}
	body := line
	if len(r.Payload) > 0 && r.Payload[0] == '{' {
		body = r.Payload
	}
	switch r.Type {
	case "event_msg", "world_state":
		return nil // the event repeats an item for the screen
	case "token_usage_record":
		c.open = nil // the request has ended
		return nil
	case "session_meta", "turn_context":
		return c.context(body)
	}
	var item codexItem
	if err := decode(body, &item); err != nil {
		return err
	}
	if r.Type == "compacted" {
		if err := c.into.end(); err != nil {
			return err
		}
		c.open = nil
		c.into.say(item.Message, r.Timestamp.time)
		return nil
	}
	c.item(item, r.Timestamp.time)
	return nil
}

// context stores the folder and the model of a turn.
func (c *codex) context(body []byte) error {
	var context struct {
		Model string `json:"model"`
		Cwd   string `json:"cwd"`
	}
	if err := decode(body, &context); err != nil {
		return err
	}
	c.into.project, c.model = cmp.Or(c.into.project, context.Cwd), cmp.Or(context.Model, c.model)
	return nil
}

func (c *codex) item(item codexItem, at time.Time) {
	switch item.Type {
	case "message":
		text := textOf(blocksOf(item.Content))
		if item.Role != "assistant" {
			c.into.say(text, at)
			c.open = nil
			return
		}
		c.into.text(c.writing(at), text)
	case "reasoning":
		for _, p := range item.Summary {
			c.into.thought(c.writing(at), p.Text)
		}
	case "function_call", "custom_tool_call", "local_shell_call":
		name, parameters := codexCall(item)
		c.into.call(c.writing(at), item.CallID, name, parameters)
	case "function_call_output", "custom_tool_call_output", "local_shell_call_output":
		a := codexOutput(item.Output)
		a.call, a.at = item.CallID, at
		c.into.answer(a)
		c.open = nil
	}
}

// writing returns the reply being assembled, and begins one if there is none.
func (c *codex) writing(at time.Time) *turn {
	if c.open == nil {
		c.open = c.into.reply("", at)
		c.into.models[c.model]++
	}
	return c.open
}

var heredoc = lazyregexp.New(`(?s)^\s*apply_patch\s*<<\s*['"]?\w+['"]?\n(.*)\n\w+\s*$`)

// codexCall returns a call in the form of our tools: a command or a patch. Other calls are unchanged.
func codexCall(item codexItem) (name string, parameters json.RawMessage) {
	raw := cmp.Or(item.Arguments, item.Input)
	var args struct {
		Command json.RawMessage `json:"command"`
		Cmd     json.RawMessage `json:"cmd"`
		Workdir string          `json:"workdir"`
		Patch   string          `json:"input"`
	}
	parsed := json.Unmarshal([]byte(raw), &args) == nil
	words, command := codexWords(args.Command, args.Cmd)
	if item.Type == "local_shell_call" {
		words, args.Workdir, parsed = item.Action.Command, item.Action.WorkingDirectory, true
	}
	switch {
	case item.Name == "apply_patch" || len(words) == 2 && words[0] == "apply_patch":
		patch := args.Patch
		if len(words) == 2 {
			patch = words[1]
		}
		return "apply_patch", object("patch", cmp.Or(patch, raw), "", "")
	case item.Name != "" && item.Name != "shell" && item.Name != "exec_command" && item.Name != "container.exec":
		if !parsed {
			return item.Name, object("input", raw, "", "")
		}
		return item.Name, json.RawMessage(raw)
	case len(words) == 3 && (words[1] == "-lc" || words[1] == "-c"):
		command = words[2]
	case len(words) > 0:
		command = strings.Join(words, " ")
	}
	if m := heredoc.FindStringSubmatch(command); m != nil {
		return "apply_patch", object("patch", m[1], "", "")
	}
	return shellTool, object("command", cmp.Or(command, raw), "directory", args.Workdir)
}

// codexWords parses a command that is a text or a list of words.
func codexWords(values ...json.RawMessage) (words []string, line string) {
	for _, v := range values {
		if json.Unmarshal(v, &words) == nil || json.Unmarshal(v, &line) == nil {
			return words, line
		}
	}
	return nil, ""
}

// object returns a JSON object with one member, or with two if the second has a value.
func object(key, value, second, value2 string) json.RawMessage {
	members := map[string]string{key: value}
	if value2 != "" {
		members[second] = value2
	}
	raw, _ := json.Marshal(members) // never fails for a map of strings
	return raw
}

// codexOutput parses the output of a call. It may be a text, a list of parts, or an object with the
// text and the exit status. The object may be encoded as a text.
func codexOutput(raw json.RawMessage) answer {
	text := string(raw)
	var body struct {
		Content string `json:"content"`
	}
	if blocks := blocksOf(raw); blocks != nil {
		text = textOf(blocks)
	} else if json.Unmarshal(raw, &body) == nil && body.Content != "" {
		text = body.Content
	}
	var wrapped struct {
		Output   *string `json:"output"`
		Metadata struct {
			ExitCode *int `json:"exit_code"`
		} `json:"metadata"`
	}
	if strings.HasPrefix(text, "{") && json.Unmarshal([]byte(text), &wrapped) == nil && wrapped.Output != nil {
		return answer{text: *wrapped.Output, exit: wrapped.Metadata.ExitCode}
	}
	return answer{text: text}
}

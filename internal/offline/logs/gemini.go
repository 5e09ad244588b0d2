package logs

import (
	"encoding/json"
	"strings"
)

// geminiRecord is a line of a session of gemini-cli: a message, or an update of the file's
// contents ("$set"). Before 2026 a file was one JSON object with all messages.
type geminiRecord struct {
	geminiMessage
	Set struct {
		Messages []geminiMessage `json:"messages"`
	} `json:"$set"`
	Messages []geminiMessage `json:"messages"`
}

type geminiMessage struct {
	ID        string          `json:"id"`
	Timestamp moment          `json:"timestamp"`
	Type      string          `json:"type"`
	Content   json.RawMessage `json:"content"`
	Model     string          `json:"model"`
	Tokens    *struct{}       `json:"tokens"`
	Thoughts  []struct {
		Subject     string `json:"subject"`
		Description string `json:"description"`
	} `json:"thoughts"`
	ToolCalls []struct {
		ID        string          `json:"id"`
		Name      string          `json:"name"`
		Args      json.RawMessage `json:"args"`
		Result    json.RawMessage `json:"result"`
		Status    string          `json:"status"`
		Timestamp moment          `json:"timestamp"`
	} `json:"toolCalls"`
}

// gemini reads a session of gemini-cli, whose tools have the same names as ours.
type gemini struct{ into *conversation }

func (g gemini) line(line []byte) error {
	var r geminiRecord
	if err := decode(line, &r); err != nil {
		return err
	}
	for _, m := range append(r.Messages, r.Set.Messages...) {
		g.message(m)
	}
	g.message(r.geminiMessage)
	return nil
}

// message adds a message. gemini-cli records a message again when its calls are answered. A message
// with only calls belongs to the previous reply.
func (g gemini) message(m geminiMessage) {
	switch m.Type {
	case "user":
		if !g.into.seen[m.ID] {
			g.into.say(textOf(blocksOf(m.Content)), m.Timestamp.time)
		}
	case "gemini":
		t := g.into.replies[m.ID]
		latest := g.into.latestReply()
		switch {
		case latest != nil && (t != nil || m.Tokens == nil && len(m.ToolCalls) > 0):
			t = latest
		case t == nil:
			t = g.into.reply(m.ID, m.Timestamp.time)
		}
		if !g.into.seen[m.ID] {
			g.into.models[m.Model]++
			for _, thought := range m.Thoughts {
				g.into.thought(t, strings.TrimSpace(thought.Subject+"\n"+thought.Description))
			}
			g.into.text(t, textOf(blocksOf(m.Content)))
		}
		for _, call := range m.ToolCalls {
			g.into.call(t, call.ID, call.Name, call.Args)
			if !g.into.seen["call "+call.ID] && len(call.Result) > 0 {
				g.into.seen["call "+call.ID] = true
				text, failed := geminiResult(call.Result)
				g.into.answer(answer{call: call.ID, text: text, failed: failed || call.Status == "error", at: later(m.Timestamp.time, call.Timestamp.time)})
			}
		}
	}
	if m.ID != "" {
		g.into.seen[m.ID] = true
	}
}

func geminiResult(raw json.RawMessage) (text string, failed bool) {
	var parts []struct {
		FunctionResponse struct {
			Response struct {
				Output string `json:"output"`
				Error  string `json:"error"`
			} `json:"response"`
		} `json:"functionResponse"`
	}
	if json.Unmarshal(raw, &parts) != nil {
		return textOf(blocksOf(raw)), false
	}
	var all []string
	for _, p := range parts {
		r := p.FunctionResponse.Response
		failed = failed || r.Error != ""
		if part := r.Output + r.Error; part != "" {
			all = append(all, part)
		}
	}
	return strings.Join(all, "\n"), failed
}

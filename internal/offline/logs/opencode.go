package logs

import (
	"encoding/json"
	"time"
)

type opencodeExport struct {
	Info struct {
		Directory string `json:"directory"`
		ParentID  string `json:"parentID"`
	} `json:"info"`
	Messages []struct {
		Info struct {
			ID      string `json:"id"`
			Role    string `json:"role"`
			ModelID string `json:"modelID"`
			Summary any    `json:"summary"`
			Time    struct {
				Created moment `json:"created"`
			} `json:"time"`
		} `json:"info"`
		Parts []opencodePart `json:"parts"`
	} `json:"messages"`
}

type opencodePart struct {
	Type   string `json:"type"`
	Text   string `json:"text"`
	Tool   string `json:"tool"`
	CallID string `json:"callID"`
	State  struct {
		Status string          `json:"status"`
		Input  json.RawMessage `json:"input"`
		Output string          `json:"output"`
		Error  string          `json:"error"`
	} `json:"state"`
}

// opencodeNames maps opencode's tool for commands to our name. The other tools keep their names.
var opencodeNames = map[string]string{"bash": shellTool}

// opencode reads an export, which is one JSON object over many lines.
type opencode struct{ into *conversation }

func (o opencode) line(data []byte) error {
	var e opencodeExport
	if err := decode(data, &e); err != nil {
		return err
	}
	o.into.project, o.into.of = e.Info.Directory, e.Info.ParentID
	for _, m := range e.Messages {
		at := m.Info.Time.Created.time
		if m.Info.Summary == true { // the summary of a compaction begins a new span
			if err := o.into.end(); err != nil {
				return err
			}
		}
		if m.Info.Role == "user" {
			for _, p := range m.Parts {
				if p.Type == "text" {
					o.into.say(p.Text, at)
				}
			}
			continue
		}
		o.into.models[m.Info.ModelID]++
		o.steps(m.Info.ID, m.Parts, at)
	}
	return nil
}

// steps adds the replies of a message. Each step is one request to the model.
func (o opencode) steps(id string, parts []opencodePart, at time.Time) {
	t := o.into.reply(id, at)
	started := false
	for _, p := range parts {
		switch p.Type {
		case "step-start":
			if started {
				t = o.into.reply("", at)
			}
			started = true
		case "text":
			o.into.text(t, p.Text)
		case "reasoning":
			o.into.thought(t, p.Text)
		case "tool":
			o.into.call(t, p.CallID, p.Tool, p.State.Input)
			if p.State.Status == "completed" || p.State.Status == "error" {
				o.into.answer(answer{call: p.CallID, text: p.State.Output + p.State.Error, failed: p.State.Status == "error", at: at})
			}
		}
	}
}

package acp

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"agent/internal/chat"
	"agent/internal/tools"
	"agent/internal/words"
)

// optionKinds are the kinds of the options of a question with choices, by their place: some
// editors keep one option of each kind.
var optionKinds = []string{"allow_once", "allow_always", "reject_once", "reject_always"}

// inquire puts the questions of the model to the editor, one after the other. The protocol
// takes one choice each.
func (w *shown) inquire(a chat.Approval) {
	if slices.ContainsFunc(a.Preview.Inquiries, func(q tools.Inquiry) bool { return len(q.Options) == 0 }) {
		w.noticed("info", a.Preview.Title+" for an answer in words, which editors cannot be asked for: it was told no")
		go w.session.talk.Answer(a.ID, chat.Decision{Reason: "only questions with choices can be asked here"})
		return
	}
	ctx, cancel := context.WithCancel(w.session.ctx)
	w.asking[a.ID] = cancel
	id := w.callID(a)
	go func() {
		var given []tools.Given
		for _, inquiry := range a.Preview.Inquiries {
			label, answered := w.choose(ctx, id, inquiry)
			if ctx.Err() != nil {
				return
			}
			if !answered {
				w.session.talk.Answer(a.ID, chat.Decision{Reason: "decide and say so"})
				return
			}
			given = append(given, tools.Given{Chosen: []string{label}})
		}
		w.session.talk.Answer(a.ID, chat.Decision{Allow: true, Answers: given})
	}()
}

// choose asks one question and returns the label of the option that was chosen.
func (w *shown) choose(ctx context.Context, call string, inquiry tools.Inquiry) (label string, answered bool) {
	var options []permissionOption
	text := []string{inquiry.Question}
	for i, o := range inquiry.Options[:min(len(inquiry.Options), len(optionKinds))] {
		options = append(options, permissionOption{strconv.Itoa(i), words.Line(o.Label, 80), optionKinds[i]})
		if o.Description != "" {
			text = append(text, o.Label+": "+o.Description)
		}
	}
	if inquiry.Several {
		text = append(text, "one of these can be chosen here")
	}
	answer := make(chan message, 1)
	withdraw := w.session.server.conn.request("session/request_permission", map[string]any{
		"sessionId": w.session.id, "options": options,
		"toolCall": map[string]any{"toolCallId": call, "title": words.Line(inquiry.Question, 0), "status": "pending", "kind": "think", "content": []any{textOf(words.Visible(strings.Join(text, "\n")))}},
	}, func(m message) { answer <- m })
	select {
	case <-ctx.Done():
		withdraw()
		return "", false
	case m := <-answer:
		i := slices.IndexFunc(options, func(o permissionOption) bool { return o.OptionID == selected(m) })
		if i < 0 {
			return "", false
		}
		return inquiry.Options[i].Label, true
	}
}

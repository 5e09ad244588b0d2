package acp

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"agent/internal/atcmd"
	"agent/internal/base/humanize"
	"agent/internal/chat"
	"agent/internal/extend/setup/consent"
	"agent/internal/tools"
)

// optionKinds lists the kinds of a question's options, by position. They differ, because some editors keep
// only one option of each kind.
var optionKinds = []string{"allow_once", "allow_always", "reject_once", "reject_always"}

// inquire asks the editor the questions of the model, one after the other. The protocol allows one choice
// for each question.
func (w *shown) inquire(a chat.Approval) {
	if slices.ContainsFunc(a.Preview.Inquiries, func(q tools.Inquiry) bool { return len(q.Options) == 0 }) {
		w.sendNotice("info", "The model asked a question without choices. Editors can't show such a question, so agent declined it.")
		go w.session.talk.Chat.Answer(a.ID, chat.Decision{Reason: "editors can show only questions with options to choose from"})
		return
	}
	ctx, cancel := context.WithCancel(w.session.ctx)
	w.asking[a.ID] = cancel
	id := w.callID(a)
	go func() {
		var given []tools.InquiryAnswer
		for _, inquiry := range a.Preview.Inquiries {
			label, answered := w.choose(ctx, id, a, inquiry)
			if ctx.Err() != nil {
				return
			}
			if !answered {
				w.session.talk.Chat.Answer(a.ID, chat.Decision{Reason: "decide, and say what you decided"})
				return
			}
			given = append(given, tools.InquiryAnswer{Chosen: []string{label}})
		}
		w.session.talk.Chat.Answer(a.ID, chat.Decision{Allow: true, Answers: given})
	}()
}

// choose asks one question of a call and returns the label of the chosen option.
func (w *shown) choose(ctx context.Context, call string, a chat.Approval, inquiry tools.Inquiry) (label string, answered bool) {
	var options []permissionOption
	text := []string{inquiry.Question}
	for i, o := range inquiry.Options[:min(len(inquiry.Options), len(optionKinds))] {
		kind := optionKinds[i]
		if inquiry.YesNo && i == 1 {
			kind = "reject_once"
		}
		options = append(options, permissionOption{strconv.Itoa(i), humanize.Line(o.Label, 80), kind})
		if o.Description != "" {
			text = append(text, o.Label+": "+o.Description)
		}
	}
	if inquiry.Several {
		text = append(text, "choose one")
	}
	var content []any
	for _, d := range diffs(a.Preview.Diff, w.absolute) {
		content = append(content, d)
	}
	method, params := w.session.permission(map[string]any{
		"toolCallId": call, "title": humanize.Line(inquiry.Question, 0), "kind": kind(a.Traits), "content": append(content, textOf(humanize.EscapeInvisible(strings.Join(text, "\n")))),
	}, options)
	m, _ := w.session.server.conn.ask(ctx, method, params)
	i := slices.IndexFunc(options, func(o permissionOption) bool { return o.OptionID == selected(m) })
	if i < 0 {
		return "", false
	}
	return inquiry.Options[i].Label, true
}

// asking holds the state of the question about the configuration of a repository. It is asked once, at the
// first prompt. The zero value means that it was not contacted yet.
type asking struct {
	asked bool
	// decline ends the open question with a no. It is nil if none is open.
	decline func()
	// held holds the prompts that wait for the answer.
	held []atcmd.Message
}

// sendAgreed sends a prompt, after the question about the repository's configuration.
func (s *session) sendAgreed(message atcmd.Message) {
	s.mu.Lock()
	waits, first := s.asking.decline != nil, !s.asking.asked
	s.asking.asked = true
	if waits {
		s.asking.held = append(s.asking.held, message)
	}
	s.mu.Unlock()
	if !waits && !(first && s.askConsent(message)) {
		s.talk.Chat.Send(message)
	}
}

// askConsent asks the editor the question about the repository's configuration, if there is one. It reports
// whether the prompt waits for the answer. Any answer but a clear yes is a no for this session.
func (s *session) askConsent(prompt atcmd.Message) bool {
	waiting, _ := s.talk.Trust.WaitingItems() // unreadable answers were already reported
	if len(waiting) == 0 {
		return false
	}
	var lines []string
	for _, part := range s.talk.Trust.Parts(waiting) {
		lines = append(lines, part.Title)
		for _, line := range part.Lines {
			lines = append(lines, "  "+line)
		}
	}
	answer, withdraw := s.server.conn.request(s.permission(map[string]any{
		"toolCallId": "consent", "title": humanize.Line(consent.Title(waiting), 0), "kind": "other", "content": []any{textOf(humanize.EscapeInvisible(strings.Join(lines, "\n")))},
	}, []permissionOption{{optionAllow, "Use these", "allow_once"}, {optionRefuse, "Not now", "reject_once"}}))
	s.mu.Lock()
	s.asking.held, s.asking.decline = []atcmd.Message{prompt}, withdraw
	s.mu.Unlock()
	go func() {
		m, answered := <-answer
		if answered && decision(m, chat.Approval{}).Allow {
			changed, err := s.talk.Trust.ApproveShown(waiting)
			if err != nil {
				s.show.notice("warning", err.Error())
			}
			s.show.say(strings.Join(changed, "\n"))
		}
		s.mu.Lock()
		held := s.asking.held
		s.asking.held, s.asking.decline = nil, nil
		s.mu.Unlock()
		for _, message := range held {
			s.talk.Chat.Send(message)
		}
	}()
	return true
}

package acp

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"agent/internal/base/humanize"
	"agent/internal/chat"
	"agent/internal/text/textdiff"
)

// The ids of the answers to an approval prompt. There is at most one answer of each kind, because some
// editors keep only one.
const (
	optionAllow   = "allow"
	optionAlways  = "always"
	optionSandbox = "sandbox"
	optionRefuse  = "refuse"
)

// ask sends an approval prompt to the editor. Any answer but a clear yes is a no.
func (w *shown) ask(a chat.Approval) {
	if len(a.Preview.Inquiries) > 0 {
		w.inquire(a)
		return
	}
	call := map[string]any{"toolCallId": w.callID(a), "title": humanize.Line(titleOf(a), 0), "kind": kind(a.Traits), "content": w.question(a)}
	if a.Preview.Plan != "" {
		call["kind"] = "switch_mode"
	}
	if len(a.Preview.Paths) > 0 {
		var locations []location
		for _, path := range a.Preview.Paths {
			locations = append(locations, location{Path: w.absolute(path)})
		}
		call["locations"] = locations
	}
	if json.Valid(a.Preview.Arguments) {
		call["rawInput"] = a.Preview.Arguments
	}
	options := []permissionOption{{optionAllow, "Allow", "allow_once"}}
	switch {
	case a.Preview.Plan != "":
		options = []permissionOption{{optionAllow, "Yes, and ask before changes", "allow_once"}, {optionAlways, "Yes, and " + a.Always, "allow_always"}}
	case a.Sandbox != "":
		options = append(options, permissionOption{optionSandbox, "Yes, and " + a.Sandbox, "allow_always"})
	case a.Always != "":
		options = append(options, permissionOption{optionAlways, "Allow " + humanize.Line(a.Always, 80) + " for this session", "allow_always"})
	}
	options = append(options, permissionOption{optionRefuse, "Refuse", "reject_once"})
	answer, withdraw := w.session.server.conn.request(w.session.permission(call, options))
	w.asking[a.ID] = withdraw
	go func() {
		if m, answered := <-answer; answered {
			w.session.talk.Chat.Answer(a.ID, decision(m, a))
		}
	}()
}

// permission returns the request that asks the editor about a call.
func (s *session) permission(call map[string]any, options []permissionOption) (method string, params any) {
	call["status"] = "pending"
	return "session/request_permission", map[string]any{"sessionId": s.id, "toolCall": call, "options": options}
}

func (w *shown) callID(a chat.Approval) string {
	return cmp.Or(w.idOf(a.Call), fmt.Sprintf("q%d", a.ID))
}

func titleOf(a chat.Approval) string {
	if a.Repeats != "" {
		return "Continue? The model repeats itself: " + a.Repeats
	}
	return a.Preview.Title
}

// decision returns the decision in the editor's answer. Only an offered answer counts.
func decision(m message, a chat.Approval) chat.Decision {
	switch selected(m) {
	case optionAllow:
		return chat.Decision{Allow: true}
	case optionAlways:
		return chat.Decision{Allow: true, Always: a.Always != ""}
	case optionSandbox:
		return chat.Decision{Allow: true, Sandbox: a.Sandbox != ""}
	}
	return chat.Decision{Reason: "the user refused"}
}

// selected returns the id of the selected option, or "" for none.
func selected(m message) string {
	var answer struct {
		Outcome struct {
			Outcome  string `json:"outcome"`
			OptionID string `json:"optionId"`
		} `json:"outcome"`
	}
	if m.Error != nil || json.Unmarshal(m.Result, &answer) != nil || answer.Outcome.Outcome != "selected" {
		return ""
	}
	return answer.Outcome.OptionID
}

// withdraw withdraws an approval prompt that no longer needs an answer.
func (w *shown) withdraw(id int) {
	if withdraw := w.asking[id]; withdraw != nil {
		withdraw()
		delete(w.asking, id)
	}
}

// question returns the content of an approval prompt. The diff is first, because some editors show nothing
// else.
func (w *shown) question(a chat.Approval) []any {
	var content []any
	for _, d := range diffs(a.Preview.Diff, w.absolute) {
		content = append(content, d)
	}
	var lines []string
	if a.Preview.Note != "" {
		lines = append(lines, humanize.EscapeInvisible(a.Preview.Note))
	}
	if a.Preview.Plan != "" {
		lines = append(lines, humanize.EscapeInvisible(a.Preview.Plan))
	}
	if a.Preview.Command != "" {
		lines = append(lines, humanize.EscapeInvisible(a.Preview.Command))
		if a.Preview.Directory != "" {
			lines = append(lines, "in "+humanize.EscapeInvisible(a.Preview.Directory))
		}
		if a.Preview.Background {
			lines = append(lines, "continues in the background")
		}
		switch {
		case a.Preview.Outside != "":
			lines = append(lines, "leaves the sandbox: "+humanize.EscapeInvisible(a.Preview.Outside))
		case a.Preview.Confined:
			lines = append(lines, "runs in the sandbox")
		default:
			lines = append(lines, "runs without a sandbox")
		}
	}
	if s := a.Preview.Served; s != nil && s.Changed != "" {
		lines = append(lines, "the server changed this tool since its last use:", humanize.EscapeInvisible(s.Changed))
	}
	if a.Preview.Remark != "" {
		lines = append(lines, "the model: "+humanize.EscapeInvisible(strconv.Quote(a.Preview.Remark)))
	}
	if len(a.Preview.Arguments) > 0 {
		lines = append(lines, humanize.EscapeInvisible(string(a.Preview.Arguments)))
	}
	for _, found := range a.Preview.Protected {
		lines = append(lines, humanize.EscapeInvisible(fmt.Sprintf("%s: %s", found.Path, found.Why)))
	}
	if a.Preview.Unwatched != "" {
		lines = append(lines, a.Preview.Unwatched)
	}
	if a.Repeats != "" {
		lines = append(lines, a.Repeats)
	}
	if len(lines) > 0 {
		content = append(content, textOf(strings.Join(lines, "\n")))
	}
	if len(content) == 0 {
		content = append(content, textOf(titleOf(a)))
	}
	return content
}

// diffs converts a unified diff to the format of the protocol: for each file the old and the new text of
// the changed regions.
func diffs(unified string, absolute func(string) string) (all []diffContent) {
	const nowhere = "/dev/null"
	for _, file := range textdiff.Split(unified) {
		names, hunks, _ := strings.Cut(file, "\n@@")
		from, to, _ := strings.Cut(strings.TrimPrefix(names, "--- "), "\n+++ ")
		path := to
		if to == nowhere {
			path = from
		}
		if name, err := strconv.Unquote(path); err == nil && humanize.FileName(name) == path { // the name has line breaks
			path = name
		}
		var before, after strings.Builder
		for line := range strings.Lines("@@" + hunks) {
			switch text := line[1:]; line[0] {
			case '@', '\\':
			case '-':
				before.WriteString(text)
			case '+':
				after.WriteString(text)
			default:
				before.WriteString(text)
				after.WriteString(text)
			}
		}
		d := diffContent{Type: "diff", Path: absolute(path), NewText: after.String()}
		if from != nowhere {
			old := before.String()
			d.OldText = &old
		}
		all = append(all, d)
	}
	return all
}

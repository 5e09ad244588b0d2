package mcphost

import (
	"cmp"
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"agent/internal/extend/mcp"
	"agent/internal/tools"
)

// ask asks the user the question of a server: each field of its form, or the request to open an address.
// The program never answers by itself. It cancels the question if there is no user to ask.
func (s *Servers) ask(ctx context.Context, q mcp.Question) (mcp.Answer, error) {
	if s.Unattended {
		return mcp.Answer{Action: mcp.Cancel}, nil
	}
	title := q.Server + " asks"
	if q.URL != "" {
		return s.askToOpen(ctx, title, q), nil
	}
	inquiries := []tools.Inquiry{{Header: title, Question: q.Message, Options: yesOrNo, YesNo: true}}
	if len(q.Fields) > 0 {
		inquiries = nil
	}
	for i, f := range q.Fields {
		inquiry := inquiryOf(f)
		inquiry.Header = title
		if i == 0 {
			inquiry.Question = q.Message + " — " + inquiry.Question
		}
		inquiries = append(inquiries, inquiry)
	}
	answers, answered := s.Inquire(ctx, title, inquiries)
	if !answered {
		return mcp.Answer{Action: mcp.Cancel}, ctx.Err()
	}
	if len(q.Fields) == 0 {
		if answers[0].String() == "yes" {
			return mcp.Answer{Action: mcp.Accept}, nil
		}
		return mcp.Answer{Action: mcp.Decline}, nil
	}
	values := map[string]any{}
	for i, f := range q.Fields {
		if value, filled := valueOf(f, answers[i]); filled {
			values[f.Name] = value
		}
	}
	return mcp.Answer{Action: mcp.Accept, Values: values}, nil
}

// askToOpen asks whether to open an address. The prompt shows the host of the address.
func (s *Servers) askToOpen(ctx context.Context, title string, q mcp.Question) mcp.Answer {
	host := q.URL
	if address, err := url.Parse(q.URL); err == nil {
		host = address.Host
	}
	const open = "open it"
	answers, answered := s.Inquire(ctx, title, []tools.Inquiry{{
		Header: title, Question: q.Message + " — open a page of " + host + "? " + q.URL,
		Options: []tools.Option{{Label: open, Description: "in your browser"}, {Label: "no"}}, YesNo: true,
	}})
	switch {
	case !answered:
		return mcp.Answer{Action: mcp.Cancel}
	case answers[0].String() != open:
		return mcp.Answer{Action: mcp.Decline}
	}
	if s.Browse != nil {
		s.Browse(ctx, q.URL)
	}
	return mcp.Answer{Action: mcp.Accept}
}

var yesOrNo = []tools.Option{{Label: "yes"}, {Label: "no"}}

// leaveOut is the label of the option that leaves a field empty.
const leaveOut = "skip this field"

func inquiryOf(f mcp.Field) tools.Inquiry {
	inquiry := tools.Inquiry{Question: cmp.Or(f.Title, f.Name), Several: f.Type == "list"}
	if f.Description != "" {
		inquiry.Question += ": " + f.Description
	}
	for _, o := range f.Options {
		inquiry.Options = append(inquiry.Options, tools.Option{Label: cmp.Or(o.Title, o.Value)})
	}
	if f.Type == "boolean" {
		inquiry.Options, inquiry.YesNo = slices.Clone(yesOrNo), f.Required
	}
	if usual := usualOf(f); usual != "" && len(inquiry.Options) == 0 {
		inquiry.Options = append(inquiry.Options, tools.Option{Label: usual, Description: "the usual"})
	}
	if !f.Required {
		inquiry.Options = append(inquiry.Options, tools.Option{Label: leaveOut})
	}
	return inquiry
}

// usualOf returns the default of a field as text, or "" for none.
func usualOf(f mcp.Field) string {
	var text string
	if json.Unmarshal(f.Default, &text) != nil {
		text = string(f.Default)
	}
	return text
}

// valueOf returns a user's answer as the value of a field. It returns false if the user left the field
// empty.
func valueOf(f mcp.Field, answer tools.InquiryAnswer) (any, bool) {
	if f.Type == "list" {
		list := []string{}
		for _, label := range answer.Chosen {
			if label != leaveOut {
				list = append(list, optionValue(f, label))
			}
		}
		if answer.Words != "" {
			list = append(list, answer.Words)
		}
		return list, len(list) > 0 || f.Required
	}
	text := answer.Words
	if text == "" && len(answer.Chosen) > 0 {
		text = answer.Chosen[0]
	}
	if text == leaveOut && !f.Required {
		return nil, false
	}
	switch f.Type {
	case "boolean":
		return strings.EqualFold(text, "yes") || strings.EqualFold(text, "true"), true
	case "number", "integer":
		if n, err := strconv.ParseFloat(strings.TrimSpace(text), 64); err == nil {
			return n, true
		}
	}
	return optionValue(f, text), true
}

// optionValue returns the value of the option with a label, or the label if no option has it.
func optionValue(f mcp.Field, label string) string {
	for _, o := range f.Options {
		if label == o.Title || o.Title == "" && label == o.Value {
			return o.Value
		}
	}
	return label
}

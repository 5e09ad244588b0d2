package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"agent/internal/todo"
	"agent/internal/toolspec"
)

// Limits of the questions of one call.
const (
	mostInquiries             = 4
	leastOptions, mostOptions = 2, 4
)

type askUserArgs struct {
	Questions []Inquiry `json:"questions" jsonschema:"1 to 4"`
}

var errNobody = errors.New("no user to ask; decide, and say what you decided")

func askUser() Tool {
	return define(Tool{
		Name: "ask_user",
		Description: "Asks the user to choose, if the work depends on a decision of the user that neither the request nor the code answers. " +
			"Do not ask what you can find out, nor whether to continue.",
		Traits: Traits{Asks: true, Words: toolspec.SameVerbs("asking", "asked", "ask")},
	}, func(_ context.Context, _ *Env, args askUserArgs) (Plan, error) {
		if err := checkInquiries(args.Questions); err != nil {
			return Plan{}, err
		}
		return Plan{
			Preview:  Preview{Title: "the model asks", Inquiries: args.Questions},
			Apply:    func(context.Context) Answer { return failedAnswer(errNobody) },
			Answered: func(given []InquiryAnswer) Answer { return saidBy(args.Questions, given) },
		}, nil
	})
}

// checkInquiries returns an error for questions that break the limits, and trims their texts.
func checkInquiries(all []Inquiry) error {
	if n := len(all); n < 1 || n > mostInquiries {
		return fmt.Errorf("questions must contain 1 to %d questions, not %d", mostInquiries, n)
	}
	for i := range all {
		asked := &all[i]
		asked.Question, asked.Header = strings.TrimSpace(asked.Question), strings.TrimSpace(asked.Header)
		if asked.Question == "" {
			return fmt.Errorf("question %d is empty", i+1)
		}
		if n := len(asked.Options); n < leastOptions || n > mostOptions {
			return fmt.Errorf("question %d must have %d to %d options, not %d", i+1, leastOptions, mostOptions, n)
		}
		labels := map[string]bool{"": true}
		for j, o := range asked.Options {
			o = Option{strings.TrimSpace(o.Label), strings.TrimSpace(o.Description)}
			if labels[o.Label] {
				return fmt.Errorf("question %d: every option must have a different label", i+1)
			}
			labels[o.Label], asked.Options[j] = true, o
		}
		asked.YesNo = !asked.Several && len(asked.Options) == 2 && begins(asked.Options[0].Label, "yes") && begins(asked.Options[1].Label, "no")
	}
	return nil
}

// begins reports whether the first word of a label is word, ignoring case.
func begins(label, word string) bool {
	first, _, _ := strings.Cut(label, " ")
	return strings.EqualFold(strings.Trim(first, ",.:;!"), word)
}

// saidBy returns the answer that contains each question and the user's reply to it, on two lines.
func saidBy(inquiries []Inquiry, given []InquiryAnswer) Answer {
	var text, summary []string
	for i, g := range given {
		said := strings.Join(g.Chosen, ", ")
		switch {
		case g.Words != "" && said != "":
			said += "; and in their own words: " + g.Words
		case g.Words != "":
			said = "in their own words: " + g.Words
		}
		text = append(text, inquiries[i].Question+"\n→ "+said)
		summary = append(summary, g.String())
	}
	return Answer{Text: "The user answered:\n" + strings.Join(text, "\n"), Summary: strings.Join(summary, "; ")}
}

type presentPlanArgs struct {
	Plan string `json:"plan" jsonschema:"Markdown, with one numbered list of steps"`
}

func presentPlan() Tool {
	return define(Tool{
		Name:        "present_plan",
		Description: "Shows the user your plan in the approval mode plan, and asks whether you may carry it out.",
		Traits:      Traits{Asks: true, Words: toolspec.SameVerbs("planning", "planned", "plan")},
	}, func(_ context.Context, env *Env, args presentPlanArgs) (Plan, error) {
		plan := strings.TrimSpace(args.Plan)
		if plan == "" {
			return Plan{}, errors.New("plan is empty; write the steps")
		}
		return Plan{
			Preview: Preview{Title: "carry out the plan of the model", Plan: plan},
			Apply: func(context.Context) Answer {
				return Answer{Text: "The plan is the answer of this run.", Summary: "the answer"}
			},
			Answered: func(given []InquiryAnswer) Answer { return env.acceptPlan(plan, given[0].String()) },
		}, nil
	})
}

// acceptPlan returns the answer to a plan that the user approved, and makes the steps of the plan
// the todo list.
func (e *Env) acceptPlan(plan, mode string) Answer {
	text := "The user approved the plan. The approval mode is " + mode + " now. Carry out the plan."
	if steps := todo.ParseSteps(plan); len(steps) > 0 && e.Todos != nil && e.Todos.Set(steps) == nil {
		text += " Its steps are the todo list."
	}
	return Answer{Text: text, Summary: "approved, mode " + mode}
}

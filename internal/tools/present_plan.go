package tools

import (
	"context"
	"errors"
	"strings"

	"agent/internal/todo"
	"agent/internal/traits"
)

type presentPlanArgs struct {
	Plan string `json:"plan" jsonschema:"Markdown: what you would change and how you would check it, one numbered list of steps"`
}

func presentPlan() Tool {
	return define(Tool{
		Name:        "present_plan",
		Description: "In the approval mode plan: shows the user your plan and asks whether you may carry it out.",
		Traits:      Traits{Asks: true, Words: traits.Say("planning", "planned", "plan")},
	}, func(_ context.Context, env *Env, args presentPlanArgs) (Plan, error) {
		plan := strings.TrimSpace(args.Plan)
		if plan == "" {
			return Plan{}, errors.New("plan is empty; say what you would do")
		}
		return Plan{
			Preview: Preview{Title: "the model has a plan", Plan: plan},
			Apply: func(context.Context) Answer {
				return Answer{Text: "The plan is the answer of this run.", Summary: "the answer"}
			},
			Answered: func(given []Given) Answer { return env.planned(plan, given[0].String()) },
		}, nil
	})
}

// planned is the answer to a plan that the person has agreed to. Its steps are kept as the
// todo list.
func (e *Env) planned(plan, mode string) Answer {
	text := "The user agrees to the plan. The approval mode is " + mode + " now: carry it out."
	if steps := todo.Steps(plan); len(steps) > 0 && e.Todos != nil && e.Todos.Set(steps) == nil {
		text += " Its steps are the todo list."
	}
	return Answer{Text: text, Summary: "agreed, mode " + mode}
}

package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"agent/internal/base/humanize"
	"agent/internal/tools/decode"
	"agent/internal/toolspec"
)

// A Task contains the arguments of a call that starts a subagent.
type Task struct {
	Task       string `json:"task" jsonschema:"all that the agent is told"`
	Agent      string `json:"agent,omitempty" jsonschema:"a name of the list; explore if not given"`
	Title      string `json:"title,omitempty" jsonschema:"a few words for the screen"`
	Background bool   `json:"background,omitempty" jsonschema:"return at once"`
	Continue   string `json:"continue,omitempty" jsonschema:"the id of an agent that ended"`
	// Model is ignored, because the user chooses the models.
	Model string `json:"model,omitempty" jsonschema:"not used"`
}

// taskSchema holds the parameters that requests declare.
type taskSchema struct {
	Task       string `json:"task" jsonschema:"the goal, what is known, what to report"`
	Agent      string `json:"agent,omitempty" jsonschema:"default explore"`
	Title      string `json:"title,omitempty" jsonschema:"a few words for the screen"`
	Background bool   `json:"background,omitempty" jsonschema:"return at once; the report comes as a message"`
	Continue   string `json:"continue,omitempty" jsonschema:"id of an ended agent, which then continues with its context"`
}

// Limits of a task.
const (
	maxTask  = 32 << 10
	maxTitle = 60
)

// AgentCall identifies the call that starts a subagent.
type AgentCall struct {
	// Number and ID identify the call in its conversation.
	Number int
	ID     string
	Task
}

// TaskName is the name of the tool that starts subagents.
const TaskName = "task"

// taskText describes when a subagent is worth its cost.
const taskText = "Gives a task to an agent with its own context; you get its report only. Use it for searches over many files and for independent work; " +
	"several calls in one reply run at the same time. Not for a file or symbol whose place you know: read it yourself. " +
	"What the agent read is not in your context: read a file before you edit it. "

// The descriptions of results. Sizes were measured on recorded sessions
// (docs/dev/engine-research.md). The first is for windows of at least smallWindow tokens, the
// second for smaller ones.
const (
	taskPays    = "An agent pays off from about ten calls or four files on. The agents:\n"
	taskCosts   = "Your context window is small, so an agent costs what it saves: use one only for work that would not fit. The agents:\n"
	smallWindow = 48_000
)

// BeginTask starts the task of a call, and returns a function that completes it.
type BeginTask func(AgentCall) (work func(context.Context) Answer)

// TaskTool returns the tool that starts subagents. list describes the subagents to the model, and
// window is the size of the model's context window in tokens. plan returns the preview of a task
// and a function that starts it, or an error for a task that cannot start.
func TaskTool(list string, window int, plan func(Task) (Preview, BeginTask, error)) Tool {
	measured := taskPays
	if window < smallWindow {
		measured = taskCosts
	}
	return define(Tool{
		Name:        TaskName,
		Description: taskText + measured + strings.TrimRight(list, "\n"),
		offers:      decode.ParametersOf[taskSchema]().JSON,
		Traits: Traits{
			Reads: true, Parallel: true, Key: "task", Density: toolspec.Density{Reports: true},
			Words: []toolspec.Verbs{
				{Given: "title", Now: "asking an agent:", Done: "asked an agent:", Do: "ask an agent:", About: "{title}"},
				{Now: "asking an agent:", Done: "asked an agent:", Do: "ask an agent:"},
			},
		},
	}, func(_ context.Context, env *Env, t Task) (Plan, error) {
		t.Task = strings.TrimSpace(t.Task)
		switch {
		case t.Task == "":
			return Plan{}, errors.New("task is empty: say what the agent is to do and to report; nothing was started")
		case len(t.Task) > maxTask:
			return Plan{}, fmt.Errorf("task has %d bytes; the limit is %d. Name files for the agent to read instead; nothing was started", len(t.Task), maxTask)
		}
		if t.Title = humanize.Headline(t.Title); t.Title == "" {
			t.Title = humanize.Line(humanize.FirstLine(t.Task), maxTitle)
		}
		t.Title = humanize.Line(t.Title, maxTitle)
		preview, begin, err := plan(t)
		if err != nil {
			return Plan{}, err
		}
		call := AgentCall{Number: env.Call, ID: env.CallID, Task: t}
		work := sync.OnceValue(func() func(context.Context) Answer { return begin(call) })
		return Plan{Preview: preview, Begin: func() { work() }, Apply: func(ctx context.Context) Answer { return work()(ctx) }}, nil
	})
}

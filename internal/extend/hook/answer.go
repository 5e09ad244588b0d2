package hook

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"agent/internal/extend/setup/hooks"
)

// Decision is the decision of hooks about a call. The larger of two decisions takes precedence.
type Decision int

// The decisions.
const (
	None Decision = iota
	Allow
	Ask
	Deny
)

// decisions maps the decision words of hooks, both old and new ones, to decisions.
var decisions = map[string]Decision{
	"": None, "defer": None, "allow": Allow, "approve": Allow, "ask": Ask, "deny": Deny, "block": Deny,
}

// Outcome is the merged outcome of all hooks for an event.
type Outcome struct {
	Decision Decision
	// Reason is the reason of the decision.
	Reason string
	// By names the hook that made the decision or stopped the turn.
	By string
	// Input replaces the arguments of the call, in the form of Claude Code. If Input is nil, the
	// arguments stay unchanged.
	Input json.RawMessage
	// Output replaces the result of the call for the model. If Output is nil, the result stays
	// unchanged.
	Output *string
	// Stop ends the turn. Why is the reason.
	Stop bool
	Why  string
	// Context holds texts for the model.
	Context []string
	// Notices holds lines for the user.
	Notices []string
	// Changed describes the changes that the hooks made to the workspace.
	Changed WorkspaceChanges
}

// WorkspaceChanges describes changes that hooks made to the workspace.
type WorkspaceChanges struct {
	// Text describes the changes to the model. It is empty if there are none.
	Text string
	// Files maps absolute paths to the new contents of the files. The content of a file that Text
	// does not show is nil.
	Files map[string][]byte
}

// IsBlocked reports whether a hook refused the call.
func (o Outcome) IsBlocked() bool { return o.Decision == Deny }

func (o *Outcome) notice(format string, args ...any) {
	o.Notices = append(o.Notices, fmt.Sprintf(format, args...))
}

// Merge adds the outcome of the next hook. Callers merge in the order of the configuration.
func (o *Outcome) Merge(next Outcome) {
	if next.Decision > o.Decision {
		o.Decision, o.Reason, o.By = next.Decision, next.Reason, next.By
	}
	if next.Input != nil {
		o.Input = next.Input
	}
	if next.Output != nil {
		o.Output = next.Output
	}
	if next.Stop && !o.Stop {
		o.Stop, o.Why, o.By = true, cmp.Or(next.Why, "it gave no reason"), cmp.Or(o.By, next.By)
	}
	o.Context, o.Notices = append(o.Context, next.Context...), append(o.Notices, next.Notices...)
	if next.Changed.Text != "" {
		o.Changed.Text = strings.TrimPrefix(o.Changed.Text+"\n"+next.Changed.Text, "\n")
		files := maps.Clone(next.Changed.Files)
		for file, content := range o.Changed.Files {
			if _, again := files[file]; !again {
				files[file] = content
			}
		}
		o.Changed.Files = files
	}
}

// answer is the JSON that a hook may print.
type answer struct {
	Continue      *bool    `json:"continue"`
	StopReason    string   `json:"stopReason"`
	SystemMessage string   `json:"systemMessage"`
	Decision      string   `json:"decision"`
	Reason        string   `json:"reason"`
	Context       string   `json:"additionalContext"`
	Specific      specific `json:"hookSpecificOutput"`
}

// specific is the part of an answer that depends on the event.
type specific struct {
	Permission       string          `json:"permissionDecision"`
	PermissionReason string          `json:"permissionDecisionReason"`
	UpdatedInput     json.RawMessage `json:"updatedInput"`
	UpdatedOutput    json.RawMessage `json:"updatedToolOutput"`
	UpdatedMCP       json.RawMessage `json:"updatedMCPToolOutput"`
	Context          string          `json:"additionalContext"`
	// Decision is the decision of a PermissionRequest hook.
	Decision struct {
		Behavior     string          `json:"behavior"`
		Message      string          `json:"message"`
		Interrupt    bool            `json:"interrupt"`
		UpdatedInput json.RawMessage `json:"updatedInput"`
	} `json:"decision"`
}

// isAnswer reports whether a hook printed JSON.
func isAnswer(printed string) bool { return strings.HasPrefix(strings.TrimSpace(printed), "{") }

// parse parses the JSON that a successful hook printed. The error describes what is wrong with it.
func parse(event hooks.Event, printed string) (Outcome, error) {
	var a answer
	if err := json.Unmarshal([]byte(printed), &a); err != nil {
		return Outcome{}, fmt.Errorf("its output is not valid JSON: %w", err)
	}
	var out Outcome
	word, reason, input := a.Decision, a.Reason, a.Specific.UpdatedInput
	switch event {
	case hooks.PreToolUse:
		if a.Specific.Permission != "" {
			word, reason = a.Specific.Permission, a.Specific.PermissionReason
		}
	case hooks.PermissionRequest:
		if d := a.Specific.Decision; d.Behavior != "" {
			word, reason = d.Behavior, d.Message
			input = d.UpdatedInput
			out.Stop, out.Why = d.Interrupt && word == "deny", d.Message
		}
	}
	decision, known := decisions[word]
	if !known {
		return Outcome{}, fmt.Errorf("its decision %q is unknown (valid: allow, ask, deny, defer, block)", word)
	}
	if decision == Deny || event == hooks.PreToolUse || event == hooks.PermissionRequest {
		out.Decision, out.Reason = decision, reason
	}
	if input != nil && string(input) != "null" && (event == hooks.PreToolUse || event == hooks.PermissionRequest) {
		if !strings.HasPrefix(strings.TrimSpace(string(input)), "{") {
			return Outcome{}, fmt.Errorf("its updatedInput is not an object")
		}
		out.Input = input
	}
	if a.Continue != nil && !*a.Continue {
		out.Stop, out.Why = true, a.StopReason
	}
	for _, replaced := range []json.RawMessage{a.Specific.UpdatedMCP, a.Specific.UpdatedOutput} {
		if len(replaced) > 0 && string(replaced) != "null" && event == hooks.PostToolUse {
			text := textOf(replaced)
			out.Output = &text
		}
	}
	for _, text := range []string{a.Context, a.Specific.Context} {
		if strings.TrimSpace(text) != "" {
			out.Context = append(out.Context, text)
		}
	}
	if a.SystemMessage != "" {
		out.Notices = append(out.Notices, a.SystemMessage)
	}
	return out, nil
}

// textOf returns a value as text for the model: a string without quotes, and other values as JSON.
func textOf(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	return string(value)
}

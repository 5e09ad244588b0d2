package agents

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"agent/internal/base/humanize"
	"agent/internal/base/lazyregexp"
	"agent/internal/extend/setup/trustedfile"
)

// validName matches the names of subagents, in lower case.
var validName = lazyregexp.New(`^[a-z0-9_-]{1,64}$`)

// switched matches an entry of a tool list in the form of opencode, "write: false".
var switched = lazyregexp.New(`([A-Za-z0-9_*-]+)\s*:\s*(true|false)`)

// denied matches a tool that opencode's field permission denies.
var denied = lazyregexp.New(`([A-Za-z0-9_*-]+)\s*:\s*deny\b`)

// used lists the fields of a Markdown file that have an effect.
var used = []string{
	"name", "description", "tools", "disallowedtools", "model", "effort", "model_reasoning_effort", "reasoning_effort",
	"maxturns", "max_turns", "steps", "timeout_mins", "permissionmode", "sandbox_mode", "background", "skills", "kind", "permission",
}

// parse reads a subagent from a Markdown file with frontmatter. name is used if the file contains
// no name.
func parse(text, name string) (Agent, error) {
	fields, body, ok := trustedfile.Frontmatter(text)
	if !ok && strings.HasPrefix(text, "---") {
		return Agent{}, errors.New("line 1: its frontmatter has no end; end it with a line of three dashes")
	}
	if !ok {
		return Agent{}, errors.New("line 1: no frontmatter; begin the file with name and description between two lines of three dashes")
	}
	first := func(names ...string) string {
		for _, name := range names {
			if value := strings.TrimSpace(fields[name]); value != "" {
				return value
			}
		}
		return ""
	}
	a := Agent{
		Name: cmp.Or(first("name"), name), Description: first("description"), Prompt: strings.TrimSpace(body),
		Model: humanize.FirstLine(first("model")), Effort: first("effort", "model_reasoning_effort", "reasoning_effort"),
		Without: fields.List("disallowedtools"), Background: fields.Bool("background", false), Skills: fields.List("skills"),
	}
	if name != "" && !validName.MatchString(strings.ToLower(a.Name)) {
		a.Name = name // the name in these files is only for display
	}
	if given, has := fields["tools"]; has {
		a.setTools(given, fields.List("tools"))
	}
	for _, tool := range denied.FindAllStringSubmatch(fields["permission"], -1) {
		if a.Without = append(a.Without, tool[1]); tool[1] == "edit" {
			a.Without = append(a.Without, "write") // the other coding agent also denies write then
		}
	}
	var err error
	if a.MaxTurns, err = positive("maxTurns", first("maxturns", "max_turns", "steps")); err != nil {
		return a, err
	}
	minutes, err := positive("timeout_mins", first("timeout_mins"))
	if err != nil {
		return a, err
	}
	a.Timeout = time.Duration(minutes) * time.Minute
	a.Looks = onlyLooks(first("permissionmode", "sandbox_mode"))
	if a.Kind = first("kind"); a.Kind != "" && a.Kind != "local" {
		return a, fmt.Errorf("has the kind %s; agent supports only local subagents", a.Kind)
	}
	for name := range fields {
		if !slices.Contains(used, name) {
			a.Unused = append(a.Unused, name)
		}
	}
	slices.Sort(a.Unused)
	return a, a.check()
}

// setTools sets the lists of tools from a field that contains names, or names with true or false.
func (a *Agent) setTools(text string, names []string) {
	a.Tools = []string{}
	pairs := switched.FindAllStringSubmatch(text, -1)
	if len(pairs) == 0 {
		a.Tools = append(a.Tools, names...)
		return
	}
	for _, pair := range pairs {
		if pair[2] == "true" {
			a.Tools = append(a.Tools, pair[1])
		} else {
			a.Without = append(a.Without, pair[1])
		}
	}
	if len(a.Tools) == 0 { // the list contains only exceptions, so all other tools remain allowed
		a.Tools = nil
	}
}

// codexAgent is a subagent file of codex.
type codexAgent struct {
	Name         string `toml:"name"`
	Description  string `toml:"description"`
	Instructions string `toml:"developer_instructions"`
	Model        string `toml:"model"`
	Effort       string `toml:"model_reasoning_effort"`
	Sandbox      string `toml:"sandbox_mode"`
}

// parseTOML reads a subagent from a file of codex.
func parseTOML(text string) (Agent, error) {
	var c codexAgent
	meta, err := toml.Decode(text, &c)
	if err != nil {
		var at toml.ParseError
		if errors.As(err, &at) {
			return Agent{}, fmt.Errorf("line %d: %s", at.Position.Line, at.Message)
		}
		return Agent{}, err
	}
	a := Agent{Name: c.Name, Description: c.Description, Prompt: strings.TrimSpace(c.Instructions), Model: c.Model, Effort: c.Effort, Looks: onlyLooks(c.Sandbox)}
	for _, key := range meta.Undecoded() {
		if len(key) == 1 {
			a.Unused = append(a.Unused, key.String())
		}
	}
	slices.Sort(a.Unused)
	return a, a.check()
}

// onlyLooks reports whether a mode of another coding agent is read-only. Every other mode is
// ignored, because a file must never widen the mode of the conversation.
func onlyLooks(mode string) bool {
	return mode == "plan" || mode == "read-only" || mode == "readonly"
}

// positive parses a number above 0 in a field. It returns 0 if the field is empty.
func positive(field, text string) (int, error) {
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%s is %q; use a whole number from 1", field, text)
	}
	return n, nil
}

// check normalizes the fields of a subagent, and returns an error if the subagent cannot be used.
func (a *Agent) check() error {
	a.Name = strings.ToLower(strings.TrimSpace(a.Name))
	a.Description = strings.Join(strings.Fields(a.Description), " ")
	if a.Model == "inherit" {
		a.Model = ""
	}
	switch {
	case a.Name == "":
		return errors.New("has no name")
	case !validName.MatchString(a.Name):
		return fmt.Errorf("invalid name %q. Use at most 64 of a-z, 0-9, - and _", a.Name)
	case a.Description == "":
		return errors.New("has no description")
	}
	return nil
}

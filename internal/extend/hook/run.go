package hook

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"agent/internal/base/humanize"
	"agent/internal/base/rawjson"
	"agent/internal/extend/setup/hooks"
	"agent/internal/sandbox"
	"agent/internal/shell"
)

// blocks is the exit code with which a hook refuses a call, whatever its output.
const blocks = 2

// run runs one hook to its end and returns its outcome. It checks again whether the hook is
// allowed, because the hook may have waited for others, and its files may have changed.
func (r *Runner) run(ctx context.Context, s *state, o EventInput, input []byte) Outcome {
	var refused Outcome
	if !r.allowed(s, &refused) {
		s.recordEnd("not run")
		return refused
	}
	stdout, stderr := &output{}, &output{}
	end, err := r.feed(ctx, s, input, stdout, stderr)
	if err == nil {
		r.Ran(s.name(o), strings.Join(s.Words(), " "), r.Confined().Label(profileOf(r.OnlyLooks())), end)
	}
	last := end.Outcome()
	if err != nil {
		last = humanize.Headline(err.Error())
	}
	s.recordEnd(last)
	if ctx.Err() != nil && o.Event != hooks.SessionEnd {
		return Outcome{}
	}
	said, err := r.outcome(s, o.Event, end, err, stdout, stderr)
	if err != nil {
		said = failure(s, err)
		if missing := end.NotStarted != nil || end.Exit == shell.ExitNotFound; missing && s.missed.Swap(true) {
			said.Notices = nil // the user has already been notified
		}
	}
	if said.Decision != None || said.Stop {
		said.By = s.String()
	}
	if said.Decision != None {
		said.Reason = r.boundText(cmp.Or(strings.TrimSpace(said.Reason), "it gave no reason"))
	}
	for i, text := range said.Context {
		said.Context[i] = r.boundText(text)
	}
	if said.Output != nil {
		*said.Output = r.boundText(*said.Output)
	}
	return said
}

// failure returns the outcome of a hook that failed: a notice for the user, or a refusal if the
// hook has Blocks set.
func failure(s *state, err error) Outcome {
	var out Outcome
	if s.Blocks {
		out.Decision, out.Reason = Deny, fmt.Sprintf("the hook failed: %v", err)
		return out
	}
	out.notice("%s failed and was skipped: %v", s, err)
	return out
}

// outcome returns the outcome of a hook that ended. The error is the reason why the hook failed.
func (r *Runner) outcome(s *state, event hooks.Event, end shell.ExitInfo, err error, stdout, stderr *output) (Outcome, error) {
	var out Outcome
	switch {
	case err != nil:
		return out, err
	case end.NotStarted != nil:
		return out, fmt.Errorf("it could not be started: %w", end.NotStarted)
	case end.TimedOut:
		return out, fmt.Errorf("it took longer than %s", humanize.Duration(s.limit()))
	case end.Interrupted && (stdout.flooded() || stderr.flooded()):
		return out, fmt.Errorf("it printed more than %s and was stopped", humanize.Bytes(maxDrainedBytes))
	case end.Interrupted:
		return out, errors.New("it was stopped")
	case end.Exit == blocks:
		out.Decision, out.Reason = Deny, stderr.text()
		return out, nil
	case end.Exit != 0:
		return out, errors.New(strings.TrimSuffix(end.ExitText()+": "+humanize.Headline(stderr.text()), ": "))
	}
	printed := stdout.text()
	if isAnswer(printed) {
		if stdout.more() {
			err := fmt.Errorf("its JSON is longer than %s", humanize.Bytes(maxOutputBytes))
			if event == hooks.PreToolUse || event == hooks.PermissionRequest { // the rest of the output may contain a refusal
				return Outcome{Decision: Deny, Reason: err.Error()}, nil
			}
			return out, err
		}
		return parse(event, printed)
	}
	if strings.TrimSpace(printed) != "" && (event == hooks.SessionStart || event == hooks.UserPromptSubmit) {
		out.Context = []string{printed}
	}
	return out, nil
}

func (s *state) limit() time.Duration {
	usual := usualTime
	switch s.Event {
	case hooks.UserPromptSubmit:
		usual = promptTime
	case hooks.SessionEnd:
		usual = endTime
	}
	return cmp.Or(s.Timeout, usual)
}

// feed runs the program of a hook.
func (r *Runner) feed(ctx context.Context, s *state, input []byte, stdout, stderr *output) (shell.ExitInfo, error) {
	confined, profile := r.Confined(), profileOf(r.OnlyLooks())
	if profile == sandbox.ProfileReadOnly && !confined.Guarantees(profile).Files {
		return shell.ExitInfo{}, errors.New("the approval mode allows no changes, and there is no sandbox to enforce this")
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stdout.full, stderr.full = cancel, cancel
	project := cmp.Or(s.Project, r.Dir)
	command := shell.Command{
		Line: s.Command, Dir: r.Dir, Timeout: s.limit(), Input: input,
		Environ:    []string{"CLAUDE_PROJECT_DIR=" + project, "AGENT_PROJECT_DIR=" + project, "AGENT=agent"},
		Distrusted: r.Distrusted(), Confined: confined, Profile: profile,
	}
	if s.Args != nil { // a program, not a shell command
		command.Line, command.Args = inProject(s.Command, project), []string{}
		for _, arg := range s.Args {
			command.Args = append(command.Args, inProject(arg, project))
		}
	}
	return r.Jobs.RunWithInput(ctx, command, stdout, stderr)
}

// profileOf returns the sandbox profile of hooks. onlyLooks is set if the conversation is
// read-only.
func profileOf(onlyLooks bool) sandbox.Profile {
	if onlyLooks {
		return sandbox.ProfileReadOnly
	}
	return sandbox.ProfileUnconfined
}

// name returns the name of a hook for the session log, with the subagent that made the call.
func (s *state) name(o EventInput) string {
	name := "hook " + s.Name()
	if agent, of := o.Input["agent_id"].(string); of {
		name += " for agent " + agent
	}
	return name
}

// inProject replaces the variables for the project's folder in a word, because no shell expands the
// word.
func inProject(word, project string) string {
	for _, name := range []string{"${CLAUDE_PROJECT_DIR}", "$CLAUDE_PROJECT_DIR", "${AGENT_PROJECT_DIR}", "$AGENT_PROJECT_DIR"} {
		word = strings.ReplaceAll(word, name, project)
	}
	return word
}

// boundText limits a text for the model. It writes the whole text to a file if the text is too
// long.
func (r *Runner) boundText(text string) string {
	text = strings.TrimRight(strings.ToValidUTF8(text, "\uFFFD"), "\n")
	if utf8.RuneCountInString(text) <= maxContextChars {
		return text
	}
	rest := "was not stored"
	if file, err := os.CreateTemp(r.Spool(), "hook-*.txt"); err == nil {
		if _, err = file.WriteString(text); err == nil && file.Close() == nil {
			rest = "is in " + file.Name()
		}
	}
	return fmt.Sprintf("%s\n[cut after %d characters; the full text %s]", string([]rune(text)[:maxContextChars]), maxContextChars, rest)
}

// encode encodes members as valid JSON. It repairs incomplete characters from the model, because a
// hook would fail on them and be ignored.
func encode(members map[string]any) ([]byte, error) {
	for name, value := range members {
		raw, is := value.(json.RawMessage)
		if !is {
			continue
		}
		plain, err := rawjson.Decode(raw)
		if err != nil {
			return nil, err
		}
		members[name] = plain
	}
	data, err := rawjson.Marshal(members)
	return bytes.ToValidUTF8(data, []byte("\uFFFD")), err
}

// output keeps the beginning of a hook's output and discards the rest.
type output struct {
	kept  bytes.Buffer
	total int64
	// full is called if the hook prints too much. It ends the hook.
	full func()
}

func (o *output) Write(data []byte) (int, error) {
	o.total += int64(len(data))
	if room := maxOutputBytes - o.kept.Len(); room > 0 {
		o.kept.Write(data[:min(room, len(data))])
	}
	if o.flooded() {
		o.full()
	}
	return len(data), nil
}

func (o *output) flooded() bool { return o.total > maxOutputBytes+maxDrainedBytes }
func (o *output) more() bool    { return o.total > int64(o.kept.Len()) }
func (o *output) text() string  { return strings.ToValidUTF8(o.kept.String(), "\uFFFD") }

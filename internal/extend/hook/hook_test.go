package hook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"agent/internal/extend/setup/hooks"
	"agent/internal/extend/setup/permissions"
	"agent/internal/extend/setup/trustedfile"
	"agent/internal/sandbox"
	"agent/internal/shell"
	"agent/internal/testing/fifo"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bench is a runner in a separate folder.
type bench struct {
	*Runner
	dir string
}

// newBench returns a runner of hooks. Each hook has the form EVENT MATCHER {JSON}.
func newBench(t *testing.T, change func(*Config), written ...string) bench {
	t.Helper()
	home := t.TempDir()
	dir := filepath.Join(home, "w")
	spool := filepath.Join(home, "spool")
	events := map[string][]json.RawMessage{}
	for _, w := range written {
		parts := strings.SplitN(w, " ", 3)
		events[parts[0]] = append(events[parts[0]], json.RawMessage(fmt.Sprintf(`{"matcher":%q,"hooks":[%s]}`, parts[1], parts[2])))
	}
	text, err := json.Marshal(map[string]any{"hooks": events})
	if err := errors.Join(err, os.MkdirAll(filepath.Join(dir, ".git"), 0o700), os.MkdirAll(spool, 0o700), os.MkdirAll(filepath.Join(home, ".config/agent"), 0o700),
		os.WriteFile(filepath.Join(home, ".config/agent/hooks.json"), text, 0o600)); err != nil {
		t.Fatal(err)
	}
	found := hooks.Find(trustedfile.Locations{Config: filepath.Join(home, ".config/agent"), Home: home, Workspace: dir})
	if len(found.Skipped) > 0 {
		t.Fatal(found.Skipped)
	}
	jobs := shell.NewJobs([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "MY_API_KEY=k", "OTHER=o"}, nil)
	jobs.Grace = 100 * time.Millisecond
	t.Cleanup(jobs.Close)
	config := Config{
		Jobs: jobs, Dir: dir, Home: home, Spool: func() string { return spool },
		Confined:   func() sandbox.Confinement { return sandbox.Confinement{} },
		Distrusted: func() []string { return []string{dir} },
		OnlyLooks:  func() bool { return false },
		Common:     func() map[string]any { return map[string]any{"session_id": "s", "cwd": dir} },
		May:        func(hooks.Hook) error { return nil },
		Around: func(context.Context) func() WorkspaceChanges {
			return func() WorkspaceChanges { return WorkspaceChanges{} }
		},
		Beside: func(string) {},
		Ran:    func(_, _, _ string, _ shell.ExitInfo) {},
		Slow:   func(string) {},
	}
	if change != nil {
		change(&config)
	}
	r := New(config, found.Hooks)
	t.Cleanup(r.Close)
	return bench{r, dir}
}

// command returns a hook that runs a command line.
func command(line string, more ...string) string {
	text, _ := json.Marshal(line)
	return `{"type":"command","command":` + string(text) + strings.Join(append([]string{""}, more...), ",") + `}`
}

func bash() EventInput {
	return EventInput{
		Event: hooks.PreToolUse, Names: []string{"Bash", "run_shell_command"}, Subject: permissions.Subject{Tool: "Bash", Command: "rm -rf x"},
		Input: map[string]any{"tool_name": "Bash", "tool_input": json.RawMessage(`{"command":"rm -rf x"}`)},
	}
}

// TestHooksDecision checks exit codes and JSON of one hook before a call (D-97).
func TestHooksDecision(t *testing.T) {
	t.Parallel()
	specific := func(members string) string {
		return `{"hookSpecificOutput":{"hookEventName":"PreToolUse",` + members + `}}`
	}
	for _, c := range []struct {
		name, script string
		block        bool
		want         Outcome
		notice       string
	}{
		{name: "exit 0 and nothing", script: "true"},
		{name: "exit 0 and a text", script: "echo fine"},
		{name: "exit 2 blocks", script: "echo no >&2; exit 2", want: Outcome{Decision: Deny, Reason: "no"}},
		{name: "exit 2 blocks whatever stdout holds", script: `echo '` + specific(`"permissionDecision":"allow"`) + `'; echo no >&2; exit 2`, want: Outcome{Decision: Deny, Reason: "no"}},
		{name: "exit 2 and broken JSON", script: `echo '{"x'; exit 2`, want: Outcome{Decision: Deny, Reason: "it gave no reason"}},
		{name: "exit 1", script: "echo oops >&2; exit 1", notice: "failed and was skipped: exit 1: oops"},
		{name: "exit 1 that blocks", script: "echo oops >&2; exit 1", block: true, want: Outcome{Decision: Deny, Reason: "the hook failed: exit 1: oops"}},
		{name: "no such program", script: "/no/such/program", notice: "exit 127"},
		{name: "broken JSON", script: `echo '{"continue": tru'`, notice: "not valid JSON"},
		{name: "broken JSON that blocks", script: `echo '{"continue": tru'`, block: true, want: Outcome{Decision: Deny, Reason: "the hook failed: its output is not valid JSON"}},
		{name: "deny", script: `echo '` + specific(`"permissionDecision":"deny","permissionDecisionReason":"because"`) + `'`, want: Outcome{Decision: Deny, Reason: "because"}},
		{name: "ask", script: `echo '` + specific(`"permissionDecision":"ask","permissionDecisionReason":"look"`) + `'`, want: Outcome{Decision: Ask, Reason: "look"}},
		{name: "allow", script: `echo '` + specific(`"permissionDecision":"allow"`) + `'`, want: Outcome{Decision: Allow, Reason: "it gave no reason"}},
		{name: "defer", script: `echo '` + specific(`"permissionDecision":"defer"`) + `'`},
		{name: "a decision nobody knows", script: `echo '` + specific(`"permissionDecision":"maybe"`) + `'`, notice: `its decision "maybe" is unknown`},
		{name: "old block", script: `echo '{"decision":"block","reason":"old"}'`, want: Outcome{Decision: Deny, Reason: "old"}},
		{name: "old approve", script: `echo '{"decision":"approve","reason":"old"}'`, want: Outcome{Decision: Allow, Reason: "old"}},
		{name: "new beats old", script: `echo '{"decision":"approve","hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"new"}}'`, want: Outcome{Decision: Deny, Reason: "new"}},
		{name: "updatedInput", script: `echo '` + specific(`"updatedInput":{"command":"ls"}`) + `'`, want: Outcome{Input: json.RawMessage(`{"command":"ls"}`)}},
		{name: "updatedInput that is none", script: `echo '` + specific(`"updatedInput":"ls"`) + `'`, notice: "not an object"},
		{name: "continue false", script: `echo '{"continue":false,"stopReason":"enough"}'`, want: Outcome{Stop: true, Why: "enough"}},
		{name: "systemMessage", script: `echo '{"systemMessage":"hello"}'`, notice: "hello"},
		{name: "additionalContext", script: `echo '` + specific(`"additionalContext":"know this"`) + `'`, want: Outcome{Context: []string{"know this"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			more := []string{}
			if c.block {
				more = append(more, `"onFailure":"block"`)
			}
			got := newBench(t, nil, "PreToolUse Bash "+command(c.script, more...)).Run(t.Context(), bash())
			if got.Decision != c.want.Decision || !strings.HasPrefix(got.Reason, c.want.Reason) || string(got.Input) != string(c.want.Input) || got.Stop != c.want.Stop || got.Why != c.want.Why ||
				!slices.Equal(got.Context, c.want.Context) || (len(got.Notices) > 0) != (c.notice != "") || len(got.Notices) > 0 && !strings.Contains(got.Notices[0], c.notice) {
				t.Errorf("got %+v", got)
			}
		})
	}
}

// TestHooksEvents checks the decisions that other events allow, and the text that each of them adds
// (setup.md 6).
func TestHooksEvents(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		event  hooks.Event
		script string
		want   Outcome
	}{
		{hooks.UserPromptSubmit, "echo seen", Outcome{Context: []string{"seen"}}},
		{hooks.SessionStart, "echo seen", Outcome{Context: []string{"seen"}}},
		{hooks.UserPromptSubmit, `echo '{"decision":"block","reason":"no"}'`, Outcome{Decision: Deny, Reason: "no"}},
		{hooks.PostToolUse, "echo seen", Outcome{}},
		{hooks.PostToolUse, `echo '{"decision":"block","reason":"look again"}'`, Outcome{Decision: Deny, Reason: "look again"}},
		{hooks.PostToolUse, `echo '{"hookSpecificOutput":{"updatedToolOutput":"other"}}'`, Outcome{Output: text("other")}},
		{hooks.PostToolUse, `echo '{"hookSpecificOutput":{"updatedToolOutput":{"a":1}}}'`, Outcome{Output: text(`{"a":1}`)}},
		{hooks.PostToolUse, `echo '{"hookSpecificOutput":{"updatedInput":{"a":1}}}'`, Outcome{}},
		{hooks.Stop, `echo more >&2; exit 2`, Outcome{Decision: Deny, Reason: "more"}},
		{hooks.PermissionRequest, `echo '{"hookSpecificOutput":{"decision":{"behavior":"allow","updatedInput":{"a":1}}}}'`, Outcome{Decision: Allow, Reason: "it gave no reason", Input: json.RawMessage(`{"a":1}`)}},
		{hooks.PermissionRequest, `echo '{"hookSpecificOutput":{"decision":{"behavior":"deny","message":"no","interrupt":true}}}'`, Outcome{Decision: Deny, Reason: "no", Stop: true, Why: "no"}},
	} {
		got := newBench(t, nil, string(c.event)+" * "+command(c.script)).Run(t.Context(), EventInput{Event: c.event})
		if got.Decision != c.want.Decision || got.Reason != c.want.Reason || string(got.Input) != string(c.want.Input) || got.Stop != c.want.Stop || got.Why != c.want.Why ||
			!slices.Equal(got.Context, c.want.Context) || (got.Output == nil) != (c.want.Output == nil) || got.Output != nil && *got.Output != *c.want.Output || len(got.Notices) > 0 {
			t.Errorf("%s, %s: got %+v", c.event, c.script, got)
		}
	}
}

func text(s string) *string { return &s }

// Results are merged in the order of the configuration, whichever hook ends first: deny > ask >
// allow. The last of several inputs counts, and everything else is kept (D-97).
func TestHooksMerge(t *testing.T) {
	t.Parallel()
	says := func(delay, members string) string {
		return command(`sleep ` + delay + `; echo '{"systemMessage":"` + delay + `","hookSpecificOutput":{` + members + `}}'`)
	}
	b := newBench(t, nil,
		"PreToolUse * "+says("0.2", `"permissionDecision":"allow","permissionDecisionReason":"1","updatedInput":{"a":1},"additionalContext":"c1"`),
		"PreToolUse * "+says("0.1", `"permissionDecision":"ask","permissionDecisionReason":"2","updatedInput":{"a":2},"additionalContext":"c2"`),
		"PreToolUse * "+says("0.0", `"permissionDecision":"ask","permissionDecisionReason":"3"`),
		"PreToolUse * "+says("0.0", `"permissionDecision":"ask","permissionDecisionReason":"3"`),
	)
	got := b.Run(t.Context(), bash())
	if got.Decision != Ask || got.Reason != "2" || string(got.Input) != `{"a":2}` || !slices.Equal(got.Context, []string{"c1", "c2"}) || !slices.Equal(got.Notices, []string{"0.2", "0.1", "0.0"}) {
		t.Errorf("got %+v", got)
	}
	if runs := b.Statuses(); runs[2].Runs != 1 || runs[3].Runs != 0 {
		t.Errorf("one command runs once: %+v", runs)
	}
	deny := newBench(t, nil, "PreToolUse * "+says("0.1", `"permissionDecision":"deny","permissionDecisionReason":"d"`), "PreToolUse * "+says("0.0", `"permissionDecision":"allow"`))
	if got := deny.Run(t.Context(), bash()); got.Decision != Deny || got.Reason != "d" || !strings.Contains(got.By, "PreToolUse *") {
		t.Errorf("got %+v", got)
	}
}

// At most eight hooks of an event run at the same time (setup.md 6).
func TestHooksAtOnce(t *testing.T) {
	t.Parallel()
	var all []string
	for i := range 12 {
		all = append(all, "Stop * "+command(fmt.Sprintf(`touch on.%d; ls on.* | wc -l; n=$(ls on.* | wc -l); sleep 0.3; rm on.%d; [ $n -le 8 ] || { echo $n >&2; exit 2; }`, i, i)))
	}
	if got := newBench(t, nil, all...).Run(t.Context(), EventInput{Event: hooks.Stop}); got.IsBlocked() || len(got.Notices) > 0 {
		t.Errorf("%+v", got)
	}
}

// TestHooksSurroundings checks the input of a hook and its environment: no key, no terminal, and
// the project's folder (setup.md 6).
func TestHooksSurroundings(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil, "PreToolUse Bash "+command(`cat > got.json; env > got.env; pwd > got.dir; (: </dev/tty) 2>/dev/null && echo terminal > got.tty; true`))
	if got := b.Run(t.Context(), bash()); len(got.Notices) > 0 {
		t.Fatal(got)
	}
	read := func(name string) string { data, _ := os.ReadFile(filepath.Join(b.dir, name)); return string(data) }
	var input map[string]any
	if err := json.Unmarshal([]byte(read("got.json")), &input); err != nil || input["hook_event_name"] != "PreToolUse" || input["tool_name"] != "Bash" || input["session_id"] != "s" ||
		input["tool_input"].(map[string]any)["command"] != "rm -rf x" {
		t.Errorf("%v, %v", input, err)
	}
	env := "\n" + read("got.env")
	for _, want := range []string{"\nCLAUDE_PROJECT_DIR=" + b.dir + "\n", "\nAGENT_PROJECT_DIR=" + b.dir + "\n", "\nAGENT=agent\n", "\nOTHER=o\n"} {
		if !strings.Contains(env, want) {
			t.Errorf("%q is missing in %s", want, env)
		}
	}
	if strings.Contains(env, "MY_API_KEY") || strings.TrimSpace(read("got.dir")) != b.dir || read("got.tty") != "" {
		t.Errorf("key, folder or terminal: %s %s %s", env, read("got.dir"), read("got.tty"))
	}
}

// A hook with args runs without a shell. The folder of the project replaces its variable (setup.md
// 6).
func TestHooksArgs(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil, `PreToolUse Bash {"type":"command","command":"printf","args":["%s|","a b","$HOME","${CLAUDE_PROJECT_DIR}/x","{\"systemMessage\""]}`,
		`PreToolUse Bash {"type":"command","command":"$CLAUDE_PROJECT_DIR/run","args":["it"]}`)
	if err := os.WriteFile(filepath.Join(b.dir, "run"), []byte("#!/bin/sh\necho no $1 >&2\nexit 2\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if got := b.Run(t.Context(), bash()); !got.IsBlocked() || got.Reason != "no it" {
		t.Errorf("%+v", got)
	}
	if err := os.WriteFile(filepath.Join(b.dir, "ls"), []byte("#!/bin/sh\nexit 2\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	inside := newBench(t, nil, `PreToolUse Bash {"type":"command","command":"ls","args":[]}`)
	if got := inside.Run(t.Context(), bash()); got.IsBlocked() {
		t.Errorf("a program of the workspace: %+v", got)
	}
}

// The field if restricts the calls of a hook, and once runs it only once (setup.md 6).
func TestHooksIfAndOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil, "PreToolUse * "+command("exit 2", `"if":"Bash(rm *)"`), "PreToolUse * "+command("echo x; exit 2", `"if":"Bash(git *)"`),
		"PreToolUse * "+command("exit 1", `"once":true`))
	for range 2 {
		b.Run(t.Context(), bash())
	}
	b.Run(t.Context(), EventInput{Event: hooks.PreToolUse, Names: []string{"Read"}, Subject: permissions.Subject{Tool: "Read", Files: []string{"/rm x"}}})
	runs := b.Statuses()
	if runs[0].Runs != 2 || runs[1].Runs != 0 || runs[2].Runs != 1 || runs[2].State != "ran once" || !strings.HasPrefix(runs[0].Last, "exit 2 after ") {
		t.Errorf("%+v", runs)
	}
}

// A hook has a time limit, and no process that it started survives it (D-98).
func TestHooksTime(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		line string
		esc  bool
		want string
	}{
		"timeout":             {line: "sleep 1000", want: "it took longer than 300ms"},
		"SIGTERM is ignored":  {line: "trap '' TERM; (trap '' TERM; sleep 1000) & while true; do sleep 1000; done", want: "it took longer than 300ms"},
		"children in session": {line: "setsid sleep 1000 & setsid sh -c 'sleep 1000' & sleep 1000", want: "it took longer than 300ms"},
		"children are left":   {line: "setsid sleep 1000 & sleep 1000 & exit 0"},
		"Esc":                 {line: "setsid sleep 1000 & touch begun; sleep 1000", esc: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			more := `"timeout":100`
			if c.want != "" {
				more = `"timeout":0.3`
			}
			b := newBench(t, nil, "Stop * "+command(`exec 9>`+"held; "+c.line, more))
			if err := fifo.Make(t, filepath.Join(b.dir, "held")); err != nil {
				t.Fatal(err)
			}
			gone := make(chan struct{})
			go func() { // the pipe closes when the last process that has it open ends
				defer close(gone)
				if pipe, err := os.Open(filepath.Join(b.dir, "held")); err == nil {
					defer pipe.Close()
					_, _ = pipe.Read(make([]byte, 1))
				}
			}()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if c.esc {
				go func() {
					for ; ctx.Err() == nil; time.Sleep(10 * time.Millisecond) {
						if _, err := os.Stat(filepath.Join(b.dir, "begun")); err == nil {
							cancel()
						}
					}
				}()
			}
			got := b.Run(ctx, EventInput{Event: hooks.Stop})
			if (len(got.Notices) > 0) != (c.want != "") || c.want != "" && !strings.Contains(got.Notices[0], c.want) || got.IsBlocked() {
				t.Errorf("%+v", got)
			}
			select {
			case <-gone:
			case <-time.After(time.Minute):
				t.Error("something of the hook is left")
			}
		})
	}
	limits := newBench(t, nil, "Stop * "+command("a"), "UserPromptSubmit * "+command("a"), "SessionEnd * "+command("a"), "PreToolUse * "+command("a", `"timeout":7`))
	for i, want := range []time.Duration{30 * time.Second, 7 * time.Second, 600 * time.Second, 5 * time.Second} {
		if got := limits.all[i].limit(); got != want {
			t.Errorf("%s may take %v, want %v", limits.all[i], got, want)
		}
	}
}

// At most 64 KiB of output are read. The model receives 10 000 characters, and a file has the rest.
// A hook with more output is ended, and its output is discarded (D-98).
func TestHooksOutput(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil, "UserPromptSubmit * "+command(`yes ä | tr -d '\n' | head -c 100000`))
	got := b.Run(t.Context(), EventInput{Event: hooks.UserPromptSubmit})
	if len(got.Context) != 1 || len([]rune(got.Context[0])) > maxContextChars+200 || !strings.Contains(got.Context[0], "cut after 10000 characters; the full text is in ") {
		t.Fatalf("%d, %.100v", len(got.Context), got)
	}
	files, _ := filepath.Glob(filepath.Join(b.Spool(), "hook-*.txt"))
	if len(files) != 1 {
		t.Fatal(files)
	}
	if kept, err := os.ReadFile(files[0]); err != nil || len(kept) < maxOutputBytes-10 || len(kept) > maxOutputBytes+10 {
		t.Errorf("%d, %v", len(kept), err)
	}
	for line, want := range map[string]string{
		"yes":                        "it printed more than 16.0 MiB and was stopped",
		"yes >&2":                    "it printed more than 16.0 MiB and was stopped",
		"yes | head -c 1M":           "",
		`echo '{'; yes | head -c 1M`: "its JSON is longer than 64.0 KiB",
	} {
		got := newBench(t, nil, "Stop * "+command(line)).Run(t.Context(), EventInput{Event: hooks.Stop})
		if (len(got.Notices) > 0) != (want != "") || want != "" && !strings.Contains(got.Notices[0], want) {
			t.Errorf("%s: %.200v", line, got)
		}
	}
}

// Text of the model can't make a guarding hook fail: not half a surrogate pair, and not so much
// text that the answer is too long (D-98).
func TestHooksAreNotMadeToFail(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil, "PreToolUse * "+command("cat > got; exit 2"))
	o := bash()
	o.Input["tool_input"] = json.RawMessage("{\"command\":\"rm \\ud800 \xff \"}")
	if got := b.Run(t.Context(), o); !got.IsBlocked() {
		t.Errorf("%+v", got)
	}
	if read, err := os.ReadFile(filepath.Join(b.dir, "got")); err != nil || !strings.Contains(string(read), "rm \uFFFD \uFFFD ") {
		t.Errorf("%s, %v", read, err)
	}
	o.Input["tool_input"] = json.RawMessage(`{"command":`)
	if got := b.Run(t.Context(), o); !got.IsBlocked() {
		t.Errorf("%+v", got)
	}
	long := newBench(t, nil, "PreToolUse * "+command(`echo '{"reason":"'; yes | tr -d '\n' | head -c 100000; echo '","decision":"block"}'`))
	if got := long.Run(t.Context(), bash()); !got.IsBlocked() {
		t.Errorf("%.200v", got)
	}
}

// A hook without consent does not run. A hook whose content has changed since does not run either,
// and one notice reports it (setup.md 1).
func TestHooksNeedConsent(t *testing.T) {
	t.Parallel()
	var refused atomic.Bool
	b := newBench(t, func(c *Config) {
		c.May = func(hooks.Hook) error {
			if refused.Load() {
				return errors.New("it waits for your yes")
			}
			return nil
		}
	}, "Stop * "+command("touch ran; exit 2"))
	for _, may := range []bool{false, true, false, false} {
		refused.Store(!may)
		_ = os.Remove(filepath.Join(b.dir, "ran"))
		got := b.Run(t.Context(), EventInput{Event: hooks.Stop})
		if _, err := os.Stat(filepath.Join(b.dir, "ran")); (err == nil) != may || got.IsBlocked() != may {
			t.Errorf("may %t: %+v", may, got)
		}
		if runs := b.Statuses()[0]; runs.State == "used" != may {
			t.Errorf("%+v", runs)
		}
	}
	refused.Store(false)
	b.Run(t.Context(), EventInput{Event: hooks.Stop})
	refused.Store(true)
	first, second := b.Run(t.Context(), EventInput{Event: hooks.Stop}), b.Run(t.Context(), EventInput{Event: hooks.Stop})
	if len(first.Notices) != 1 || !strings.Contains(first.Notices[0], "is no longer run: it waits for your yes") || len(second.Notices) > 0 {
		t.Errorf("%v, then %v", first.Notices, second.Notices)
	}
}

// A hook whose content changes while it waits for other hooks does not run (setup.md 1).
func TestHooksNeedConsentWhenTheyBegin(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	b := newBench(t, func(c *Config) {
		c.May = func(hooks.Hook) error {
			if asked.Add(1) > 1 {
				return errors.New("it has changed")
			}
			return nil
		}
	}, "Stop * "+command("touch ran; exit 2"))
	got := b.Run(t.Context(), EventInput{Event: hooks.Stop})
	if _, err := os.Stat(filepath.Join(b.dir, "ran")); err == nil || got.IsBlocked() || len(got.Notices) != 1 {
		t.Errorf("%v, %+v", err, got)
	}
}

// In read-only mode hooks run in a read-only sandbox. Without a sandbox they do not run (setup.md
// 6).
func TestHooksInReadOnlyMode(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(c *Config) { c.OnlyLooks = func() bool { return true } }, "Stop * "+command("touch ran"))
	if got := b.Run(t.Context(), EventInput{Event: hooks.Stop}); len(got.Notices) != 1 || !strings.Contains(got.Notices[0], "there is no sandbox") {
		t.Errorf("%+v", got)
	}
	if _, err := os.Stat(filepath.Join(b.dir, "ran")); err == nil {
		t.Error("it ran")
	}
}

// The program does not wait for an async hook, and its decision is ignored. Its output arrives with
// the next event. No async hook survives the conversation (setup.md 6).
func TestHooksAsync(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil, "Stop * "+command(`until [ -e go ]; do sleep 0.02; done; echo '{"decision":"block","systemMessage":"done","hookSpecificOutput":{"additionalContext":"c"}}'`, `"async":true`),
		"Notification * "+command("touch begun; sleep 1000", `"async":true`))
	if got := b.Run(t.Context(), EventInput{Event: hooks.Stop}); got.IsBlocked() || len(b.AsyncOutcome().Notices) > 0 {
		t.Errorf("%+v", got)
	}
	if err := os.WriteFile(filepath.Join(b.dir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	b.running.Wait()
	if late := b.AsyncOutcome(); !slices.Equal(late.Notices, []string{"done"}) || !slices.Equal(late.Context, []string{"c"}) || late.IsBlocked() || len(b.AsyncOutcome().Notices) > 0 {
		t.Errorf("%+v", late)
	}
	b.Run(t.Context(), EventInput{Event: hooks.Notification})
	b.Close()
	if runs := b.Statuses()[1]; !strings.HasPrefix(runs.Last, "killed after ") && !strings.HasPrefix(runs.Last, "not started") {
		t.Errorf("%+v", runs)
	}
}

// A hook that delays the program is named after two seconds, and no other hook is (setup.md 6).
func TestHooksAreNamedWhenSlow(t *testing.T) {
	t.Parallel()
	var named []string
	b := newBench(t, func(c *Config) { c.Slow = func(names string) { named = append(named, names) } }, "Stop * "+command("sleep 2.3"), "PreCompact * "+command("true"))
	b.Run(t.Context(), EventInput{Event: hooks.PreCompact})
	b.Run(t.Context(), EventInput{Event: hooks.Stop})
	if !slices.Equal(named, []string{"Stop * sleep 2.3", ""}) {
		t.Errorf("%q", named)
	}
}

// The workspace is compared before and after hooks that may change it (setup.md 6).
func TestHooksAround(t *testing.T) {
	t.Parallel()
	before := 0
	b := newBench(t, func(c *Config) {
		c.Around = func(context.Context) func() WorkspaceChanges {
			before++
			return func() WorkspaceChanges { return WorkspaceChanges{Text: "changed"} }
		}
	}, "Stop * "+command("true"), "Notification * "+command("true"))
	if got := b.Run(t.Context(), EventInput{Event: hooks.Stop}); got.Changed.Text != "changed" || before != 1 {
		t.Errorf("%+v, looked %d times", got, before)
	}
	b.Run(t.Context(), EventInput{Event: hooks.PreCompact})
	b.Run(t.Context(), EventInput{Event: hooks.Notification})
	if before != 1 {
		t.Errorf("looked %d times", before)
	}
}

// Without hooks there is no runner, no goroutine, and no delay (setup.md 11).
func TestHooksCostNothingWithoutAny(t *testing.T) {
	r := New(Config{}, nil)
	if r != nil || r.Has(hooks.Stop) || r.Run(t.Context(), bash()).IsBlocked() || r.Statuses() != nil || len(r.AsyncOutcome().Context) > 0 {
		t.Error("a runner of nothing")
	}
	r.Close()
	if n := testing.AllocsPerRun(10, func() { r.Run(context.Background(), EventInput{Event: hooks.Stop}) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// A missing program is reported once, any other failure each time.
func TestAMissingProgramIsReportedOnce(t *testing.T) {
	t.Parallel()
	for script, want := range map[string][]int{"/no/such/program": {1, 0, 0}, "exit 1": {1, 1, 1}} {
		b := newBench(t, nil, "PreToolUse Bash "+command(script))
		for i, notices := range want {
			if got := b.Run(t.Context(), bash()); len(got.Notices) != notices {
				t.Errorf("%s, run %d: %q", script, i+1, got.Notices)
			}
		}
	}
}

// Each run of a hook is passed to the record, with the subagent that caused it.
func TestRunsAreRecorded(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var ran []string
	r := newBench(t, func(c *Config) {
		c.Ran = func(name, line, confined string, end shell.ExitInfo) {
			mu.Lock()
			defer mu.Unlock()
			status := "none"
			if exit := end.ExitCode(); exit != nil {
				status = strconv.Itoa(*exit)
			}
			ran = append(ran, strings.Join([]string{name, line, confined, status}, "; "))
		}
	}, "PreToolUse Bash "+command("exit 2"), "Stop * "+command("true"), "Stop * "+command("sleep 60", `"timeout":1`))
	of := bash()
	of.Input["agent_id"] = "s-1"
	r.Run(t.Context(), of)
	r.Run(t.Context(), EventInput{Event: hooks.Stop, Input: map[string]any{}})
	slices.Sort(ran)
	want := []string{"hook PreToolUse Bash for agent s-1; exit 2; none; 2", "hook Stop *; sleep 60; none; none", "hook Stop *; true; none; 0"}
	if !slices.Equal(ran, want) {
		t.Errorf("told %q, want %q", ran, want)
	}
}

// Package hook runs the hooks of a conversation. A hook is a program of the user, or of a project
// whose hooks the user has approved. It receives an event as JSON and may refuse the event, change
// it or add to it, in the format of Claude Code's hooks.
//
// Each conversation has one Runner. For each EventInput the Runner runs the matching hooks and
// merges their answers into one Outcome. The package does not depend on the turn loop or the
// screen.
package hook

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"agent/internal/base/humanize"
	"agent/internal/extend/setup/hooks"
	"agent/internal/extend/setup/permissions"
	"agent/internal/sandbox"
	"agent/internal/shell"
)

// Limits of hooks (setup 6).
const (
	// usualTime is the time limit of a hook without a timeout.
	usualTime = 600 * time.Second
	// promptTime is the time limit of a UserPromptSubmit hook without a timeout.
	promptTime = 30 * time.Second
	// endTime is the time limit of all SessionEnd hooks together.
	endTime = 5 * time.Second
	// slow is the time after which the user sees the names of running hooks.
	slow = 2 * time.Second
	// atOnce is the number of hooks of an event that run in parallel.
	atOnce = 8
	// maxOutputBytes limits the part of each output of a hook that is read, in bytes.
	maxOutputBytes = 64 << 10
	// maxDrainedBytes is the number of further bytes that a hook may print before it is killed.
	maxDrainedBytes = 16 << 20
	// maxContextChars is the greatest length of a hook's text for the model, in characters.
	maxContextChars = 10_000
)

// Config configures a Runner.
type Config struct {
	Jobs *shell.Jobs
	// Confined returns the sandbox for commands.
	Confined func() sandbox.Confinement
	// Distrusted returns the folders that commands may write to. They are removed from PATH.
	Distrusted func() []string
	// OnlyLooks reports whether the conversation is currently read-only. Hooks are then read-only,
	// too.
	OnlyLooks func() bool
	// Dir is the workspace, and Home the user's home folder.
	Dir, Home string
	// Spool returns the folder in which texts that are too long for the model are stored.
	Spool func() string
	// Common returns the input members that all hooks receive.
	Common func() map[string]any
	// May returns nil if a hook may run now, otherwise an error with the reason. It is called
	// before each start.
	May func(hooks.Hook) error
	// Around is called before hooks that may change the workspace. The returned function is called
	// after them and returns their changes.
	Around func(ctx context.Context) (settle func() WorkspaceChanges)
	// Beside is called before a hook that runs in parallel with the turn. The changes of such a
	// hook are not determined.
	Beside func(name string)
	// Ran receives each run: the name of the hook, its command, the word for its confinement, and the way in
	// which it ended. It also receives runs that did not start.
	Ran func(name, line, confined string, end shell.ExitInfo)
	// Slow is called with the names of hooks that run for long, and with "" after they have ended.
	Slow func(names string)
}

// Runner runs the hooks of a conversation. A nil Runner has no hooks. A Runner is safe for
// concurrent use.
type Runner struct {
	Config
	all []*state
	// alone is locked while hooks that may change the workspace run.
	alone sync.Mutex
	// running counts the asynchronous hooks. stop cancels ctx, which ends them.
	running sync.WaitGroup
	ctx     context.Context
	stop    context.CancelFunc

	mu sync.Mutex
	// late is the outcome of asynchronous hooks. It is added to the next event.
	late Outcome
}

// state is a hook with the results of its runs.
type state struct {
	hooks.Hook
	// narrowed is the parsed condition If of the hook.
	narrowed permissions.Condition
	// runs counts the runs.
	runs atomic.Int32
	// last describes the end of the latest run.
	last atomic.Pointer[string]
	// might is set if the latest call of May allowed the hook. If a hook is no longer allowed, the
	// user gets a notice with its name.
	might atomic.Bool
	// missed is set after the user was notified that the hook's program is missing.
	missed atomic.Bool
}

func (s *state) countRun() {
	s.runs.Add(1)
	s.recordEnd("running")
}

func (s *state) recordEnd(last string) { s.last.Store(&last) }

// New returns a Runner for the hooks, or nil if there are none.
func New(c Config, all []hooks.Hook) *Runner {
	if len(all) == 0 {
		return nil
	}
	r := &Runner{Config: c}
	r.ctx, r.stop = context.WithCancel(context.Background())
	for _, h := range all {
		s := &state{Hook: h}
		if h.If != "" {
			root := h.Project
			if root == "" {
				root = c.Dir
			}
			s.narrowed, _ = permissions.ParseCondition(h.If, root, c.Home) // validated when the hook was loaded
		}
		r.all = append(r.all, s)
	}
	return r
}

// Close ends the asynchronous hooks and waits for their end.
func (r *Runner) Close() {
	if r != nil {
		r.stop()
		r.running.Wait()
	}
}

// EventInput is one occurrence of an event.
type EventInput struct {
	Event hooks.Event
	// Names are matched against the matchers of hooks. It is nil if the event has no names.
	Names []string
	// Subject is the call that the conditions of hooks are tested on.
	Subject permissions.Subject
	// Input holds the members of the hooks' input that are not in Common.
	Input map[string]any
}

// Has reports whether there are hooks for an event.
func (r *Runner) Has(event hooks.Event) bool {
	return r != nil && slices.ContainsFunc(r.all, func(s *state) bool { return s.Event == event })
}

// matching returns the hooks that may run for an event. It returns each command once.
func (r *Runner) matching(o EventInput, out *Outcome) []*state {
	var found []*state
	seen := map[string]bool{}
	for _, s := range r.all {
		command := s.Project + "\x00" + strings.Join(s.Words(), "\x00")
		if s.Event != o.Event || seen[command] || !s.Matches(o.Names...) || !s.narrowed.Matches(o.Subject) || s.Once && s.runs.Load() > 0 {
			continue
		}
		if r.allowed(s, out) {
			seen[command] = true
			found = append(found, s)
		}
	}
	return found
}

// allowed reports whether a hook may run now. If a hook was allowed before, the first refusal adds
// a notice.
func (r *Runner) allowed(s *state, out *Outcome) bool {
	err := r.May(s.Hook)
	if might := s.might.Swap(err == nil); err != nil && might {
		out.notice("%s is no longer run: %v", s, err)
	}
	return err == nil
}

// Run runs the hooks for an event and returns their outcomes, merged in the order of the
// configuration. It returns soon after ctx ends.
func (r *Runner) Run(ctx context.Context, o EventInput) Outcome {
	var out Outcome
	if !r.Has(o.Event) {
		return out
	}
	var waited []*state
	matching := r.matching(o, &out)
	if len(matching) == 0 {
		return out
	}
	input, err := r.input(o)
	if err != nil {
		out.Decision, out.Reason, out.By = Deny, "can't send the event to the hook: "+err.Error(), matching[0].String()
		return out
	}
	for _, s := range matching {
		if s.Async || o.Event == hooks.Notification || o.Event == hooks.PostDensity {
			r.start(s, o, input)
		} else {
			waited = append(waited, s)
		}
	}
	for _, said := range r.runAll(ctx, waited, o, input, &out) {
		out.Merge(said)
	}
	return out
}

// AsyncOutcome returns the outcome of asynchronous hooks since the last call.
func (r *Runner) AsyncOutcome() Outcome {
	if r == nil {
		return Outcome{}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	late := r.late
	r.late = Outcome{}
	return late
}

// start runs a hook asynchronously.
func (r *Runner) start(s *state, o EventInput, input []byte) {
	s.countRun()
	if !r.OnlyLooks() {
		r.Beside(s.String())
	}
	r.running.Go(func() {
		said := r.run(r.ctx, s, o, input)
		if said.IsBlocked() && !s.Async { // the call already ran
			said.notice("%s: %s", s, humanize.Headline(said.Reason))
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.late.Notices = append(r.late.Notices, said.Notices...)
		r.late.Context = append(r.late.Context, said.Context...)
	})
}

// runAll runs hooks until all have ended, some in parallel, and returns the outcome of each.
func (r *Runner) runAll(ctx context.Context, all []*state, o EventInput, input []byte, out *Outcome) []Outcome {
	if len(all) == 0 {
		return nil
	}
	if o.Event == hooks.SessionEnd {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, endTime)
		defer cancel()
	}
	if !r.OnlyLooks() {
		r.alone.Lock()
		defer r.alone.Unlock()
		settle := r.Around(ctx)
		defer func() { out.Changed = settle() }()
	}
	var names []string
	for _, s := range all {
		names = append(names, s.Name()+" "+humanize.Headline(s.Command))
	}
	defer WarnIfSlow(slow, strings.Join(names, ", "), r.Slow)()
	said := make([]Outcome, len(all))
	room := make(chan struct{}, atOnce)
	var group sync.WaitGroup
	for i, s := range all {
		s.countRun()
		group.Go(func() {
			room <- struct{}{}
			defer func() { <-room }()
			said[i] = r.run(ctx, s, o, input)
		})
	}
	group.Wait()
	return said
}

// WarnIfSlow calls say with text after the duration long unless the returned function is called before.
// If say was called, the returned function calls say again with "".
func WarnIfSlow(long time.Duration, text string, say func(string)) (over func()) {
	said := make(chan struct{})
	timer := time.AfterFunc(long, func() {
		say(text)
		close(said)
	})
	return func() {
		if !timer.Stop() {
			<-said
			say("")
		}
	}
}

func (r *Runner) input(o EventInput) ([]byte, error) {
	members := r.Common()
	maps.Copy(members, o.Input)
	members["hook_event_name"] = string(o.Event)
	return encode(members)
}

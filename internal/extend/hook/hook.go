// Package hook runs the hooks of a conversation. A hook is a program of the user, or of a
// project whose hooks the user has agreed to. It gets an event as JSON and may refuse it,
// change it or add to it, in the format of Claude Code's hooks.
//
// A conversation owns one Runner. For each EventInput the Runner runs the matching hooks and merges
// their answers into one Outcome. The package knows neither the turn loop nor the screen.
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
	// usualTime is how long a hook without a timeout may run.
	usualTime = 600 * time.Second
	// promptTime is how long a UserPromptSubmit hook without a timeout may run.
	promptTime = 30 * time.Second
	// endTime is how long all SessionEnd hooks together may run.
	endTime = 5 * time.Second
	// slow is how long hooks run before the user sees their names.
	slow = 2 * time.Second
	// atOnce is how many hooks of an event run in parallel.
	atOnce = 8
	// mostRead is how much of each output of a hook is read, in bytes.
	mostRead = 64 << 10
	// mostDrained is how much more a hook may print before it is killed, in bytes.
	mostDrained = 16 << 20
	// mostTold is the longest text of a hook for the model, in characters.
	mostTold = 10_000
)

// Config configures a Runner.
type Config struct {
	Jobs *shell.Jobs
	// Confined returns the sandbox for commands.
	Confined func() sandbox.Confinement
	// Distrusted returns the folders that commands may write. PATH leaves them out.
	Distrusted func() []string
	// OnlyLooks reports whether the conversation is read-only at present. Hooks are then too.
	OnlyLooks func() bool
	// Dir is the workspace, and Home the user's home folder.
	Dir, Home string
	// Spool returns the folder for files with texts that are too long for the model.
	Spool func() string
	// Common returns the input members that every hook gets.
	Common func() map[string]any
	// May returns nil if a hook may run now, or else the reason. It is called before each start.
	May func(hooks.Hook) error
	// Around is called before hooks that may change the workspace. It returns a function that is
	// called after them and returns their changes.
	Around func(ctx context.Context) (settle func() WorkspaceChanges)
	// Beside is called before a hook that runs in parallel to the turn. Its changes are not
	// determined.
	Beside func(name string)
	// Record records each run.
	Record Record
	// Slow is called with the names of hooks that run for long, and with "" when they have ended.
	Slow func(names string)
}

// A Record takes what ran: the name of the hook, its command line, the word for its confinement, and
// how it ended, also if it did not start.
type Record interface {
	Ran(name, line, confined string, end shell.Ending)
}

// Runner runs the hooks of a conversation. A nil Runner has no hooks. A Runner is safe for
// concurrent use.
type Runner struct {
	Config
	all []*state
	// alone is locked while hooks run that may change the workspace.
	alone sync.Mutex
	// running counts the asynchronous hooks. stop cancels ctx, which ends them.
	running sync.WaitGroup
	ctx     context.Context
	stop    context.CancelFunc

	mu sync.Mutex
	// late is the outcome of asynchronous hooks. The next event takes it over.
	late Outcome
}

// state is a hook with the history of its runs.
type state struct {
	hooks.Hook
	// narrowed is the parsed condition If of the hook.
	narrowed permissions.Condition
	// runs counts the runs.
	runs atomic.Int32
	// last says how the latest run ended.
	last atomic.Pointer[string]
	// might is set if May allowed the hook when it was last called. A hook that was allowed
	// before is named to the user when it no longer is.
	might atomic.Bool
	// missed is set once the user was told that the program of the hook is missing.
	missed atomic.Bool
}

func (s *state) countRun() {
	s.runs.Add(1)
	s.recordEnd("running")
}

// recordEnd records how a run ended.
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
			s.narrowed, _ = permissions.ParseCondition(h.If, root, c.Home) // checked when the hook was loaded
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
	// Names are compared with the matchers of hooks. It is nil if the event has no names.
	Names []string
	// Subject is the call that the conditions of hooks test.
	Subject permissions.Subject
	// Input holds further members of the input of hooks, besides the common ones.
	Input map[string]any
}

// Has reports whether there are hooks for an event.
func (r *Runner) Has(event hooks.Event) bool {
	return r != nil && slices.ContainsFunc(r.all, func(s *state) bool { return s.Event == event })
}

// matching returns the hooks that may run for an occasion. It returns each command once.
func (r *Runner) matching(o EventInput, out *Outcome) []*state {
	var found []*state
	seen := map[string]bool{}
	for _, s := range r.all {
		command := s.Project + "\x00" + strings.Join(s.Words(), "\x00")
		if s.Event != o.Event || seen[command] || !s.Matches(o.Names...) || !s.narrowed.Holds(o.Subject) || s.Once && s.runs.Load() > 0 {
			continue
		}
		if r.allowed(s, out) {
			seen[command] = true
			found = append(found, s)
		}
	}
	return found
}

// allowed reports whether a hook may run now. A hook that no longer may is named once.
func (r *Runner) allowed(s *state, out *Outcome) bool {
	err := r.May(s.Hook)
	if might := s.might.Swap(err == nil); err != nil && might {
		out.notice("%s is not run any more: %v", s, err)
	}
	return err == nil
}

// Run runs the hooks for an occasion and returns their merged outcomes, in the order of the
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
		out.Decision, out.Reason, out.By = Deny, "can't send the event to it: "+err.Error(), matching[0].String()
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

// Late returns the outcome of asynchronous hooks since the last call.
func (r *Runner) Late() Outcome {
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
		if said.Blocked() && !s.Async { // the call already ran
			said.notice("%s: %s", s, humanize.Headline(said.Reason))
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.late.Notices = append(r.late.Notices, said.Notices...)
		r.late.Context = append(r.late.Context, said.Context...)
	})
}

// runAll runs hooks to their end, some in parallel, and returns the outcome of each.
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
	defer Watch(slow, strings.Join(names, ", "), r.Slow)()
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

// Watch calls say with text after the time long, unless the returned function is called before.
// If say was called, the returned function calls it again with "".
func Watch(long time.Duration, text string, say func(string)) (over func()) {
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

// input returns the input of the hooks for an occasion.
func (r *Runner) input(o EventInput) ([]byte, error) {
	members := r.Common()
	maps.Copy(members, o.Input)
	members["hook_event_name"] = string(o.Event)
	return encode(members)
}

// Package hook runs the hooks of a conversation: programs of the person, or of a project
// whose hooks they have agreed to, that are given what happens as JSON and may refuse it,
// change it or add to it. It knows the contract of Claude Code's hooks and neither the
// turn loop nor the screen.
package hook

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"agent/internal/sandbox"
	"agent/internal/setup/hooks"
	"agent/internal/setup/permissions"
	"agent/internal/shell"
	"agent/internal/words"
)

// Bounds of what hooks may take (setup 6).
const (
	// usualTime, promptTime and endTime are how long hooks may run that say nothing of it:
	// those of most events, one of UserPromptSubmit, and all of SessionEnd together.
	usualTime  = 600 * time.Second
	promptTime = 30 * time.Second
	endTime    = 5 * time.Second
	// slow is after how long a hook that is waited for is named to the person.
	slow = 2 * time.Second
	// atOnce is how many of the hooks of an event run at a time.
	atOnce = 8
	// mostRead is what is read of each output, in bytes; mostDrained is what it may hold
	// beyond before the hook is ended.
	mostRead    = 64 << 10
	mostDrained = 16 << 20
	// mostTold is what the model reads of a text, in characters.
	mostTold = 10_000
)

// Config is what a Runner works with.
type Config struct {
	Jobs *shell.Jobs
	// Confined is the sandbox of commands, and Distrusted are the folders that they may
	// write; PATH does not lead there.
	Confined   func() sandbox.Confinement
	Distrusted func() []string
	// OnlyLooks reports whether the conversation may change nothing at present: hooks are
	// kept to that, too.
	OnlyLooks func() bool
	// Dir is the workspace, Home the user's home folder.
	Dir, Home string
	// Spool returns the folder for what is too long for the model.
	Spool func() string
	// Common are the members of what every hook reads.
	Common func() map[string]any
	// May says why a hook must not run now. It is asked before each start.
	May func(hooks.Hook) error
	// Around is called before hooks run that may change the workspace; what it returns is
	// called after them and says what they changed, for the model.
	Around func(ctx context.Context) (settle func() Changed)
	// Beside is called before a hook runs beside the turn, of which it cannot be seen what it
	// changes.
	Beside func(name string)
	// Slow gets what is waited for once that takes long, and "" when it is over.
	Slow func(names string)
}

// Runner runs the hooks of a conversation. A nil Runner has none. It is safe for parallel
// use.
type Runner struct {
	Config
	all []*state
	// alone lets one event at a time have hooks that may change the workspace.
	alone sync.Mutex
	// running are the hooks that nothing waits for; stop ends them.
	running sync.WaitGroup
	ctx     context.Context
	stop    context.CancelFunc

	mu sync.Mutex
	// late is what hooks that nothing waited for have left for the next event.
	late Outcome
}

// state is a hook with what became of it.
type state struct {
	hooks.Hook
	narrowed permissions.Condition
	// runs counts its runs, and last says how the latest ended.
	runs atomic.Int32
	last atomic.Pointer[string]
	// might is whether it might run when that was last asked: what never might was named at
	// the start.
	might atomic.Bool
}

// began counts a run.
func (s *state) began() {
	s.runs.Add(1)
	s.ended("running")
}

// ended notes how a run ended.
func (s *state) ended(last string) { s.last.Store(&last) }

// New returns a runner, nil where there are no hooks.
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
			s.narrowed, _ = permissions.ParseCondition(h.If, root, c.Home) // it was read before
		}
		r.all = append(r.all, s)
	}
	return r
}

// Close ends the hooks that nothing waits for, and returns when they have ended.
func (r *Runner) Close() {
	if r != nil {
		r.stop()
		r.running.Wait()
	}
}

// Occasion is an event as it happens.
type Occasion struct {
	Event hooks.Event
	// Names are those that matchers match; nil where the event has none.
	Names []string
	// Subject is what a call is about.
	Subject permissions.Subject
	// Input are the members of what hooks read, besides the common ones.
	Input map[string]any
}

// Has reports whether there are hooks for an event, whatever it is about.
func (r *Runner) Has(event hooks.Event) bool {
	return r != nil && slices.ContainsFunc(r.all, func(s *state) bool { return s.Event == event })
}

// matching are the hooks for an occasion that may run, each command once.
func (r *Runner) matching(o Occasion, out *Outcome) []*state {
	var found []*state
	seen := map[string]bool{}
	for _, s := range r.all {
		command := s.Project + "\x00" + strings.Join(s.Words(), "\x00")
		if s.Event != o.Event || seen[command] || !s.Matches(o.Names...) || !s.narrowed.Holds(o.Subject) || s.Once && s.runs.Load() > 0 {
			continue
		}
		err := r.May(s.Hook)
		if might := s.might.Swap(err == nil); err != nil && might {
			out.notice("%s is not run any more: %v", s, err)
		}
		if err != nil {
			continue
		}
		seen[command] = true
		found = append(found, s)
	}
	return found
}

// Run runs the hooks for an occasion and returns what they say together, merged in the
// order of the configuration. It returns soon after ctx ends.
func (r *Runner) Run(ctx context.Context, o Occasion) Outcome {
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
		out.Decision, out.Reason, out.By = Deny, "what happens cannot be said to it: "+err.Error(), matching[0].String()
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

// Late returns, once, what hooks have said that nothing waited for.
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

// start runs a hook that nothing waits for.
func (r *Runner) start(s *state, o Occasion, input []byte) {
	s.began()
	if !r.OnlyLooks() {
		r.Beside(s.String())
	}
	r.running.Go(func() {
		said := r.run(r.ctx, s, o, input)
		if said.Blocked() && !s.Async { // it can only be told
			said.notice("%s: %s", s, words.Headline(said.Reason))
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.late.Notices = append(r.late.Notices, said.Notices...)
		r.late.Context = append(r.late.Context, said.Context...)
	})
}

// runAll runs hooks to their end, some at once, and returns what each said.
func (r *Runner) runAll(ctx context.Context, all []*state, o Occasion, input []byte, out *Outcome) []Outcome {
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
		names = append(names, s.Name()+" "+words.Headline(s.Command))
	}
	defer Watch(slow, strings.Join(names, ", "), r.Slow)()
	said := make([]Outcome, len(all))
	room := make(chan struct{}, atOnce)
	var group sync.WaitGroup
	for i, s := range all {
		s.began()
		group.Go(func() {
			room <- struct{}{}
			defer func() { <-room }()
			said[i] = r.run(ctx, s, o, input)
		})
	}
	group.Wait()
	return said
}

// Watch says what is waited for once that takes long. What it returns ends that, and says ""
// if anything was said.
func Watch(long time.Duration, what string, say func(string)) (over func()) {
	said := make(chan struct{})
	timer := time.AfterFunc(long, func() {
		say(what)
		close(said)
	})
	return func() {
		if !timer.Stop() {
			<-said
			say("")
		}
	}
}

// input is what the hooks for an occasion read.
func (r *Runner) input(o Occasion) ([]byte, error) {
	members := r.Common()
	maps.Copy(members, o.Input)
	members["hook_event_name"] = string(o.Event)
	return encode(members)
}

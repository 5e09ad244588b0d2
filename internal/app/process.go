package app

import (
	"slices"
	"strings"
	"sync"
	"time"

	"agent/internal/chat"
	"agent/internal/command"
	"agent/internal/disk"
	"agent/internal/words"
)

// InputError says that what a person asked for is wrong: a flag, a folder, the id of a
// session. Nothing was done.
type InputError struct{ Err error }

func (e InputError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e InputError) Unwrap() error { return e.Err }

// Process is what the conversations of a program share. The exported fields do not
// change once the first conversation is made. It is safe for concurrent use.
type Process struct {
	// CacheHome is where commands keep what they may use again, in place of the user's
	// cache folder; empty for that.
	CacheHome string
	// Environ is the environment as "KEY=value".
	Environ []string
	// Home is the user's folder, "" when it is not known.
	Home string
	// Dir is the folder the program was started in, "" when it was deleted.
	Dir string
	// Version names the program to endpoints.
	Version string
	// Say shows a line to a person, on any goroutine; nil shows nothing.
	Say func(line string)
	// Now is the clock.
	Now func() time.Time
	// Commands are slash commands of the program around its conversations.
	Commands []command.Command

	// Costs is the ledger of the conversations' requests.
	Costs chat.Costs

	// swept ends, once, what commands of killed programs left behind.
	swept sync.Once

	logs sync.Once
	log  *Log

	mu sync.Mutex
	// atOnce are the steps of EndAtOnce, in the order in which they were added.
	atOnce []*func()
}

// Env returns the value of a variable of the environment, "" when it is not set.
func (p *Process) Env(name string) string {
	value, _ := p.lookup(name)
	return value
}

// lookup returns a variable of the environment and whether it is set.
func (p *Process) lookup(name string) (value string, set bool) {
	for _, pair := range p.Environ {
		if v, found := strings.CutPrefix(pair, name+"="); found {
			value, set = v, true
		}
	}
	return value, set
}

// Path makes a path of the command line absolute.
func (p *Process) Path(path string) string {
	return disk.At(p.Dir, path)
}

// OnEndAtOnce adds a step of EndAtOnce. The caller calls forget when there is nothing
// left that the step would end.
func (p *Process) OnEndAtOnce(step func()) (forget func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.atOnce = append(p.atOnce, &step)
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.atOnce = slices.DeleteFunc(p.atOnce, func(other *func()) bool { return other == &step })
	}
}

// EndAtOnce ends what must not outlive the program, without waiting for anything. It is
// for a program that is asked to end a second time.
func (p *Process) EndAtOnce() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, step := range p.atOnce {
		(*step)()
	}
}

func (p *Process) say(lines ...string) {
	for _, line := range lines {
		if p.Say != nil {
			p.Say(words.Brief(line))
		}
	}
}

// brief bounds notices, which hold what others wrote, in number and length.
func brief(notices []string) []string {
	const most = 40
	if more := len(notices) - most; more > 0 {
		notices = append(notices[:most:most], "… "+words.Count(more, "more notice"))
	}
	for i, line := range notices {
		notices[i] = words.Brief(line)
	}
	return notices
}

package app

import (
	"slices"
	"strings"
	"sync"
	"time"

	"agent/internal/base/fsutil"
	"agent/internal/base/humanize"
	"agent/internal/chat"
	"agent/internal/command"
	"agent/internal/llm"
	"agent/internal/login"
	"agent/internal/lsp"
	"agent/internal/policy"
)

// An InputError reports that a user's input is wrong, such as a flag, a folder or the id of a
// session. Nothing was done.
type InputError struct{ Err error }

func (e InputError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e InputError) Unwrap() error { return e.Err }

// Process holds the state that the conversations of a program share. The exported fields must not
// change once the first conversation is created. A Process is safe for concurrent use.
type Process struct {
	// CacheHome is the folder for the caches of commands, "" for the user's cache folder.
	CacheHome string
	// Environ is the environment as "KEY=value".
	Environ []string
	// Home is the user's home folder, "" if it is not known.
	Home string
	// Dir is the folder in which the program was started, "" if that folder was deleted.
	Dir string
	// PolicyFile is the policy of the machine. The zero File means that there is none, for tests.
	PolicyFile policy.File
	// Version names the program to endpoints.
	Version string
	// ModelsAge lets the built-in list of models become outdated. Tests run at any date and leave it
	// unset.
	ModelsAge bool
	// Say shows a line to a user, on any goroutine; nil shows nothing.
	Say func(line string)
	// Now returns the current time.
	Now func() time.Time
	// Commands returns slash commands of the program around a conversation; nil for none.
	Commands func(*Conversation) []command.Command

	// Costs sums up the requests of all conversations.
	Costs chat.Costs

	// languageServers runs the servers of all conversations.
	languageServers lsp.Pool

	// swept guards the sweep that ends, once, the processes that commands of killed programs left
	// running.
	swept sync.Once

	// printed has the keys that commands print.
	printed printedKeys

	// policed guards the reading of the policy.
	policed   sync.Once
	policy    *policy.Policy
	policyErr error

	// logged guards the sources of logins.
	logged sync.Once
	logins login.Sources

	// themed guards the reading of themes.
	themed sync.Once
	themes []Theme

	logs sync.Once
	log  *Log

	// keys holds the keys in use, which no log and no span shows.
	keys llm.Keys

	followers followers

	mu sync.Mutex
	// atOnce holds the steps of EndAtOnce, in the order in which they were added.
	atOnce []*func()
}

// Env returns the value of a variable of the environment, "" if it is not set.
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
	return fsutil.At(p.Dir, path)
}

// OnEndAtOnce adds a step to EndAtOnce. The caller calls forget once the step has nothing left to
// end.
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

// EndAtOnce ends everything that must not outlive the program, without waiting. It is for a
// program that is asked a second time to end.
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
			p.Say(humanize.Brief(line))
		}
	}
}

// brief limits the number and the length of notices, because they quote text of others.
func brief(notices []string) []string {
	const most = 40
	if more := len(notices) - most; more > 0 {
		notices = append(notices[:most:most], "… "+humanize.Count(more, "more notice"))
	}
	for i, line := range notices {
		notices[i] = humanize.Brief(line)
	}
	return notices
}

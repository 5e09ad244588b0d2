package app

import (
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"agent/internal/base/fsutil"
	"agent/internal/base/humanize"
	"agent/internal/base/secret"
	"agent/internal/chat"
	"agent/internal/command"
	"agent/internal/llm"
	"agent/internal/login"
	"agent/internal/lsp"
	"agent/internal/policy"
	"agent/internal/tui/style"
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
	// PolicyFile is the policy file of the machine. The zero File means that there is no policy, for tests.
	PolicyFile policy.File
	// Version is the version that the program reports to endpoints.
	Version string
	// ModelsAge makes the built-in list of models outdated after some time. Tests run at any date and leave
	// it unset.
	ModelsAge bool
	// Say shows a line to the user, on any goroutine. If it is nil, nothing is shown.
	Say func(line string)
	// Now returns the current time.
	Now func() time.Time
	// Commands returns slash commands that the program adds to a conversation. It may be nil.
	Commands func(*Conversation) []command.Command

	// Costs sums the costs of the requests of all conversations.
	Costs chat.Costs

	// languageServers runs the servers of all conversations.
	languageServers lsp.Pool

	// swept guards the sweep, which runs once. It ends the processes that commands of killed programs left
	// running.
	swept sync.Once

	// printing guards the creation of printed, which runs the user's commands that print API keys.
	printing sync.Once
	printed  login.CommandSources

	// policed guards reading the policy.
	policed   sync.Once
	policy    *policy.Policy
	policyErr error

	// logged guards the creation of the sources of logins.
	logged sync.Once
	logins login.Sources

	// themed guards reading the themes.
	themed sync.Once
	themes []Theme

	logs sync.Once
	log  *Log

	// keys holds the API keys in use, which are hidden in logs and trace spans.
	keys llm.Keys

	followers followers

	mu sync.Mutex
	// atOnce holds the steps of Abort, in the order of their addition.
	atOnce []*func()
}

// Env returns the value of an environment variable, or "" if it is not set.
func (p *Process) Env(name string) string {
	value, _ := p.lookup(name)
	return value
}

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
	return fsutil.ResolveIn(p.Dir, path)
}

// OnAbort adds a step to Abort. The caller calls forget once the step is no longer needed.
func (p *Process) OnAbort(step func()) (forget func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.atOnce = append(p.atOnce, &step)
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.atOnce = slices.DeleteFunc(p.atOnce, func(other *func()) bool { return other == &step })
	}
}

// Abort ends everything that must not outlive the program, without waiting. It is for a program that
// receives a second request to end.
func (p *Process) Abort() {
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

// brief limits the number and the length of notices, because they quote external text.
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

// Log returns the log of the program. The error is an error of Folders.
func (p *Process) Log() (*Log, error) {
	f, err := p.Folders()
	if err != nil {
		return nil, err
	}
	p.logs.Do(func() { p.log = newLog(f.State, p.printable) })
	return p.log, nil
}

// Close closes the log of the program.
func (p *Process) Close() error {
	if p.log == nil {
		return nil
	}
	return p.log.file.close()
}

// longestPrintable limits external text in the log and in trace spans, in characters.
const longestPrintable = 500

// printable returns external text, such as a tool name that an endpoint invented, for the log and for trace
// spans. The result is one line of limited length, of visible characters, without API keys.
func (p *Process) printable(text string) string {
	const most = 64 << 10 // bytes that are searched for keys; the result is far shorter
	text = p.keys.Hide(text[:min(len(text), most)])
	for _, value := range secret.FromEnvironment(p.Environ) {
		text = strings.ReplaceAll(text, value, secret.Placeholder)
	}
	return humanize.Line(secret.Redact(text), longestPrintable)
}

// Themes returns the user's own themes, by name. They are read once.
func (p *Process) Themes() []Theme {
	p.themed.Do(func() {
		if f, err := p.Folders(); err == nil {
			p.themes = readThemes(filepath.Join(f.Config, "themes"))
		}
	})
	return p.themes
}

// Palettes returns the palettes of the user's own themes that can be used.
func (p *Process) Palettes() (palettes []style.Palette) {
	for _, theme := range p.Themes() {
		if theme.Fault == nil {
			palettes = append(palettes, theme.Palette)
		}
	}
	return palettes
}

// CheckTheme returns the reason why the user's own theme with a name cannot be used. It returns nil if the
// theme is usable or does not exist.
func (p *Process) CheckTheme(name string) error {
	if i := slices.IndexFunc(p.Themes(), func(t Theme) bool { return strings.EqualFold(t.Name, name) }); i >= 0 {
		return p.Themes()[i].Fault
	}
	return nil
}

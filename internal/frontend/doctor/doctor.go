// Package doctor checks the configuration, the endpoint, the model, the terminal and the tools, and
// describes how to fix their problems. It starts no program. From the endpoint, it requests only the list
// of models.
package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agent/internal/app"
	"agent/internal/base/humanize"
	"agent/internal/chat/window"
	"agent/internal/compression"
	"agent/internal/llm"
	"agent/internal/login"
	"agent/internal/provider"
	"agent/internal/sandbox"
	"agent/internal/settings"
	"agent/internal/websearch"

	"golang.org/x/term"
)

// Finding is the result of a check: a grade, a description and advice.
type Finding struct {
	// Grade is "ok", "note" or "fix".
	Grade string
	What  string
	// Todo describes how to fix or improve the result, or is "" if there is nothing to do.
	Todo string
}

// report collects the findings.
type report []Finding

func (r *report) ok(what string)         { *r = append(*r, Finding{"ok", what, ""}) }
func (r *report) note(what, todo string) { *r = append(*r, Finding{"note", what, todo}) }
func (r *report) fix(what, todo string)  { *r = append(*r, Finding{"fix", what, todo}) }

func (r *report) addEach(grade, about string, texts []string, todo string) {
	for _, text := range texts {
		*r = append(*r, Finding{grade, humanize.Line(about+text, 0), todo})
	}
}

// doctorTimeout limits the time that a check waits for the endpoint.
const doctorTimeout = 5 * time.Second

// Examine runs all checks and returns their findings. A check is skipped if the result of an earlier check
// makes it impossible. If c is not nil, Examine checks this session with its own settings, endpoint and
// folder, and compares it with a new session. If c is nil, it checks a new session.
func Examine(ctx context.Context, p *app.Process, c *app.Conversation, from app.Sources, in, out *os.File) []Finding {
	var r report
	f, err := p.Folders()
	if err != nil {
		r.fix("folders: "+err.Error(), "")
		return r
	}
	r.folder(f.Config, "configuration")
	r.folder(f.Data, "data")
	r.folder(f.State, "log")
	if !r.policy(p) {
		return r
	}
	s, err := p.Settings(from)
	if err != nil {
		r.fix("settings: "+err.Error(), "correct or remove the profile")
		return r
	}
	dir := p.Dir
	var connection *provider.Connection
	if c == nil {
		connection = p.Connect(s, f, nil)
	} else {
		r.newSession(c.Settings(), s)
		s, dir, connection = c.Settings(), c.Root(), c.Connection
	}
	profiles := settings.NewStore(f.Config, s.Registry())
	r.profiles(profiles)
	for _, set := range s.NonDefault() {
		if why := settings.NoEffectReason(s, set.Spec.Key); why != "" {
			r.note(why, "")
		}
	}
	r.endpoint(ctx, connection, p.AccountLogins(), s, profiles.LastModel)
	r.webSearch(p.WebSearch(s, f, connection), s)
	if dir != "" {
		r.setup(p, f, dir, s)
	}
	r.terminal(p.Env("TERM"), in, out)
	r.sandbox(s)
	r.program("git", "to find files that git ignores and to show diffs")
	r.program("bash", "to run commands with bash instead of sh")
	r.program("rg", "to search faster")
	return r
}

func (r *report) newSession(session, fresh *settings.Settings) {
	var differ []string
	for _, set := range fresh.All() {
		key := set.Spec.Key
		if value, _ := session.Get(key); value.String() != set.Value.String() {
			differ = append(differ, key+"="+cmp.Or(set.Value.String(), "unset"))
		}
	}
	if len(differ) > 0 {
		r.note("checked with the settings of this session; a new session starts with "+humanize.Line(strings.Join(differ, ", "), 0), "")
	}
}

// policy shows the policy of the machine, and reports whether the policy is valid.
func (r *report) policy(p *app.Process) (counts bool) {
	bounds, err := p.Policy()
	switch {
	case err != nil:
		r.fix(err.Error(), "")
	case bounds != nil:
		r.ok("policy " + bounds.Path + ", sha256 " + bounds.Hash[:12])
		r.addEach("ok", "policy: ", bounds.Describe(), "")
	}
	return err == nil
}

// folder checks that a folder can be written. If the folder is missing, it checks the nearest existing
// parent folder.
func (r *report) folder(dir, name string) {
	probe := dir
	info, err := os.Stat(probe)
	for errors.Is(err, os.ErrNotExist) && probe != filepath.Dir(probe) {
		probe = filepath.Dir(probe)
		info, err = os.Stat(probe)
	}
	what := name + " folder " + dir
	switch {
	case err != nil:
		r.fix(what+": "+err.Error(), "make it a writable folder")
		return
	case !info.IsDir():
		r.fix(what+": "+probe+" is not a folder", "move that file away")
		return
	}
	file, err := os.CreateTemp(probe, ".agent-doctor-*")
	if err != nil {
		r.fix(what+" cannot be written", "give yourself write permission on "+probe)
		return
	}
	_ = errors.Join(file.Close(), os.Remove(file.Name()))
	r.ok(what)
}

// profiles checks that every profile can be loaded.
func (r *report) profiles(store *settings.Store) {
	names, err := store.List()
	if err != nil {
		r.fix("profiles: "+err.Error(), "")
		return
	}
	r.ok(humanize.Count(len(names), "profile"))
	for _, name := range names {
		profile, err := store.Load(name)
		switch {
		case err != nil:
			r.fix("profile "+name+": "+err.Error(), "correct "+store.Path(name))
		case len(profile.Unknown) > 0:
			r.note("profile "+name+" has unknown settings: "+strings.Join(profile.Unknown, ", "), "")
		}
	}
}

// endpoint requests the models from the endpoint, which shows whether the address, the API key and the
// model are right. chosen returns the model that the user chose last at a base URL, or "".
func (r *report) endpoint(ctx context.Context, c *provider.Connection, logins *login.Sources, s *settings.Settings, chosen func(baseURL string) string) {
	ctx, cancel := context.WithTimeout(ctx, doctorTimeout)
	defer cancel()
	notice, _, err := app.FindEndpoint(ctx, c)
	if unset, is := errors.AsType[*llm.Error](err); is {
		locals := c.LocalServers(ctx)
		if i := slices.IndexFunc(locals, func(l provider.LocalServer) bool { return provider.IsChosen(c, l) }); i >= 0 {
			r.note("agent uses "+locals[i].Name+", as you chose, and agent -p needs a flag", locals[i].Hint())
			return
		}
		r.fix(unset.Message, unset.Hint)
		for _, local := range locals[min(1, len(locals)):] { // the hint names the first one
			r.note(local.Hint(), "")
		}
		return
	}
	if err != nil {
		r.fix("endpoint: "+err.Error(), "")
		return
	}
	endpoint, _ := c.Endpoint()
	r.ok("endpoint " + endpoint.BaseURL + " (" + endpoint.From.String() + ")")
	if warning := endpoint.Warning(); warning != "" {
		r.note(warning, "")
	}
	if notice != "" {
		r.note(notice, "")
	}
	known := endpoint.Vendor()
	switch {
	case endpoint.Login != "":
		r.login(logins, endpoint)
	case endpoint.Command != "":
		r.ok("key printed by " + humanize.Line(endpoint.Command, 0) + " (" + endpoint.KeyFrom + "), for " + endpoint.Host())
	case endpoint.Key != "":
		r.ok("key from " + endpoint.KeyFrom)
	case known.KeyVariable != "":
		r.fix("no key for "+known.Title, "set "+known.KeyVariable+", or run: agent login "+known.Name)
	default:
		r.note("no API key; your own server may not need one", "")
	}
	if models, err := c.Models(ctx); err != nil {
		r.fix("endpoint: "+err.Error(), "")
	} else {
		r.model(c, s, models, chosen(endpoint.BaseURL))
	}
	// The family follows from the name of the model, so no list of models is needed.
	if model := settings.Model.Value(s); model != "" {
		family, why := c.Family(model)
		r.ok(fmt.Sprintf("model family %s (%s), edit tool %s", family.Name, why, app.EditFormatOf(s, family)))
	}
}

// login reports which login is used, whose it is, when its token expires, and where it is stored.
func (r *report) login(logins *login.Sources, endpoint provider.Endpoint) {
	all, err := logins.Store.All()
	if err != nil {
		r.fix("login "+endpoint.Login+": "+err.Error(), "")
		return
	}
	i := slices.IndexFunc(all, func(l login.Login) bool { return l.ID() == endpoint.Login })
	if i < 0 {
		r.fix("no login "+endpoint.Login+" is stored", "run: agent login "+endpoint.Vendor().Name)
		return
	}
	l := all[i]
	text := "login " + l.Title() + ", stored in " + logins.Store.Where(l)
	why := " (" + endpoint.From.String() + "), for " + endpoint.Host()
	until := l.Expires.In(logins.Now().Location()).Format("2006-01-02 15:04")
	switch ended := !l.Expires.IsZero() && logins.Now().After(l.Expires); {
	case ended && l.Refresh == "" && !l.InKeyring:
		r.fix(text+", expired "+until+why, "run: agent login "+endpoint.Vendor().Name)
		return
	case ended:
		text += ", token expired " + until + "; agent renews it before the next request"
	case !l.Expires.IsZero():
		text += ", token expires " + until
	}
	r.ok(text + why)
}

// model checks the model from the settings, or otherwise the user's latest choice.
func (r *report) model(c *provider.Connection, s *settings.Settings, models []provider.ModelOffer, chosen string) {
	model := settings.Model.Value(s)
	if model == "" && chosen != "" && len(models) != 1 {
		r.note("model "+chosen+", your last choice, is used only in the terminal; -p and editors need a configured model", "run: agent profile save NAME -m "+chosen)
		model = chosen
	}
	at := slices.IndexFunc(models, func(m provider.ModelOffer) bool { return provider.SameModel(m.ID, model) })
	switch {
	case model == "" && len(models) == 1:
		model, at = models[0].ID, 0
	case model == "":
		r.fix("no model is configured; the endpoint offers "+someOf(models), "add -m MODEL, or run: agent profile save NAME -m MODEL")
		return
	case at < 0:
		r.note("model "+model+" is not in the model list of the endpoint", "to list the models, run: agent models")
		return
	}
	with := s.Overlay()
	wrong := with.Set(settings.LayerSession, settings.Model.Key(), model)
	room := window.NewLimits(with, c.ContextLimit)
	_, err := room.Reserve()
	strategy, unknown := compression.Get(settings.CompressionStrategy.Value(with))
	if err := cmp.Or(wrong, err, unknown); err != nil {
		r.fix("model "+model+": "+err.Error(), "correct the settings of the model in the profile, or with --set")
		return
	}
	starts := fmt.Sprintf("compression starts at %d tokens", room.CompressionThreshold(strategy))
	_, known := c.ContextLimit(model)
	_, set := settings.ContextLimit.Get(s)
	switch {
	case set:
		r.ok(fmt.Sprintf("model %s, context limit %d tokens (set), %s", model, room.Size(), starts))
	case at >= 0 && models[at].Assumed:
		r.note(fmt.Sprintf("model %s: the server may limit the context to %d tokens, %s", model, room.Size(), starts), "start the server with OLLAMA_CONTEXT_LENGTH=32768, or set num_ctx for the model")
	case known:
		r.ok(fmt.Sprintf("model %s, context limit %d tokens, %s", model, room.Size(), starts))
	default:
		r.note(fmt.Sprintf("model %s: unknown context limit, %d tokens assumed, %s", model, room.Size(), starts), "set context-limit")
	}
}

// someOf names the first few models, and the number of the other models.
func someOf(models []provider.ModelOffer) string {
	const shown = 3
	var names []string
	for _, m := range models[:min(shown, len(models))] {
		names = append(names, humanize.Line(m.ID, 60))
	}
	if more := len(models) - shown; more > 0 {
		names = append(names, fmt.Sprintf("and %d more (to list all, run: agent models)", more))
	}
	return cmp.Or(strings.Join(names, ", "), "none")
}

// terminal checks that both files are a terminal that can show the interface.
func (r *report) terminal(name string, in, out *os.File) {
	if !term.IsTerminal(int(out.Fd())) || !term.IsTerminal(int(in.Fd())) {
		r.note("no terminal: only agent -p works here", "")
		return
	}
	width, height, err := term.GetSize(int(out.Fd()))
	if err != nil {
		r.fix("terminal: can't read its size", "use another terminal")
		return
	}
	*r = append(*r, terminalFinding(name, width, height))
}

// terminalFinding returns the finding about a terminal, by its TERM and its size.
func terminalFinding(name string, width, height int) Finding {
	size := fmt.Sprintf("terminal %s, %d×%d", name, width, height)
	switch {
	case name == "":
		return Finding{"fix", "terminal: TERM is not set", "set TERM, for example to xterm-256color"}
	case name == "dumb":
		return Finding{"note", "terminal type dumb: agent prints plain lines only", "if the terminal supports more, set TERM, for example to xterm-256color"}
	case width < 60:
		return Finding{"note", size, "widen it to at least 60 columns"}
	}
	return Finding{"ok", size, ""}
}

func (r *report) webSearch(search *websearch.Searcher, s *settings.Settings) {
	set, from := s.Get(settings.WebSearch.Key())
	why := "web-search is " + set.String() + " (" + from.String() + ")"
	service := search.Service()
	if search.IsByServer() {
		service = "the model's server"
	}
	switch err := search.CheckSettings(); {
	case set.String() == websearch.Off:
		r.note("no web search: "+why, "to choose a service, type /set web-search")
	case err != nil:
		r.fix("web search: "+err.Error(), "")
	default:
		r.ok("web search by " + service + ": " + why)
	}
}

// program checks that a program is on PATH. use describes what the agent uses it for.
func (r *report) program(name, use string) {
	if path, err := exec.LookPath(name); err == nil {
		r.ok(name + " at " + path)
	} else {
		r.note(name+" is not on PATH", "install it "+use)
	}
}

// sandbox reports how commands are confined.
func (r *report) sandbox(s *settings.Settings) {
	why := "the setting sandbox is off"
	if settings.Sandbox.Value(s) != settings.SandboxOff {
		box := sandbox.Detect()
		if why = box.Describe(); box.IsActive() {
			r.ok("sandbox " + box.Backend().String() + ": " + why)
			return
		}
	}
	r.note("no sandbox: "+why, "commands that are not read-only require approval")
}

// Package doctor checks configuration, endpoint, model, terminal and tools, and says what to
// fix. It starts nothing and asks the endpoint for its models only.
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
	"agent/internal/chat/window"
	"agent/internal/llm"
	"agent/internal/provider"
	"agent/internal/sandbox"
	"agent/internal/settings"
	"agent/internal/words"

	"golang.org/x/term"
)

// Finding is what one check found.
type Finding struct {
	// Grade is "ok", "note" or "fix".
	Grade string
	What  string
	// Todo is what to do about it, "" for nothing.
	Todo string
}

// doctorTimeout bounds what a check waits for the endpoint.
const doctorTimeout = 5 * time.Second

// Examine runs all checks; one that cannot run without another is left out.
func Examine(ctx context.Context, p *app.Process, from app.Sources, in, out *os.File) []Finding {
	var found []Finding
	f, err := p.Folders()
	if err != nil {
		return []Finding{{"fix", "folders: " + err.Error(), ""}}
	}
	found = append(found, checkFolder(f.Config, "configuration"), checkFolder(f.Data, "data"), checkFolder(f.State, "log"))
	s, err := p.Settings(from)
	if err != nil {
		return append(found, Finding{"fix", "settings: " + err.Error(), "correct it, or move the profile away"})
	}
	found = append(found, checkProfiles(settings.NewStore(f.Config, s.Registry()))...)
	found = append(found, checkIdle(s)...)
	found = append(found, checkEndpoint(ctx, p.Connect(s, f, nil), s)...)
	found = append(found, checkSetup(p, f, s)...)
	found = append(found, checkTerminal(p, in, out), checkSandbox(s), checkProgram("git", "to find files git ignores and to show diffs"), checkProgram("bash", "to run commands; sh is used instead"), checkProgram("rg", "to search faster"))
	return found
}

// checkFolder reports whether a folder, or the nearest one above that exists, can
// be written.
func checkFolder(dir, name string) Finding {
	for probe := dir; ; probe = filepath.Dir(probe) {
		info, err := os.Stat(probe)
		if errors.Is(err, os.ErrNotExist) && probe != filepath.Dir(probe) {
			continue
		}
		switch {
		case err != nil:
			return Finding{"fix", name + " folder " + dir + ": " + err.Error(), "make it a folder you can write"}
		case !info.IsDir():
			return Finding{"fix", name + " folder " + dir + ": " + probe + " is not a folder", "move that file away"}
		}
		file, err := os.CreateTemp(probe, ".agent-doctor-*")
		if err != nil {
			return Finding{"fix", name + " folder " + dir + " cannot be written", "give yourself write permission on " + probe}
		}
		_ = errors.Join(file.Close(), os.Remove(file.Name()))
		return Finding{"ok", name + " folder " + dir, ""}
	}
}

func checkProfiles(store *settings.Store) []Finding {
	names, err := store.List()
	if err != nil {
		return []Finding{{"fix", "profiles: " + err.Error(), ""}}
	}
	found := []Finding{{"ok", words.Count(len(names), "profile"), ""}}
	for _, name := range names {
		profile, err := store.Load(name)
		switch {
		case err != nil:
			found = append(found, Finding{"fix", "profile " + name + ": " + err.Error(), "correct " + store.Path(name)})
		case len(profile.Unknown) > 0:
			found = append(found, Finding{"note", "profile " + name + " holds unknown keys: " + strings.Join(profile.Unknown, ", "), ""})
		}
	}
	return found
}

// checkIdle names what is set and changes nothing.
func checkIdle(s *settings.Settings) (found []Finding) {
	for _, set := range s.Changed() {
		if why := settings.NoEffect(s, set.Spec.Key); why != "" {
			found = append(found, Finding{"note", why, ""})
		}
	}
	return found
}

// checkEndpoint asks the endpoint for its models, which shows whether address, key
// and model are right.
func checkEndpoint(ctx context.Context, c *provider.Connection, s *settings.Settings) []Finding {
	ctx, cancel := context.WithTimeout(ctx, doctorTimeout)
	defer cancel()
	notice, _, err := app.Find(ctx, c)
	if err != nil {
		var unset *llm.Error
		if errors.As(err, &unset) {
			return []Finding{{"fix", unset.Message, unset.Hint}}
		}
		return []Finding{{"fix", "endpoint: " + err.Error(), ""}}
	}
	endpoint, _ := c.Endpoint()
	found := []Finding{{"ok", "endpoint " + endpoint.BaseURL + " (" + endpoint.From.String() + ")", ""}}
	if warning := endpoint.Warning(); warning != "" {
		found = append(found, Finding{"note", warning, ""})
	}
	if notice != "" {
		found = append(found, Finding{"note", notice, ""})
	}
	known := endpoint.Vendor()
	switch {
	case endpoint.Key != "":
		found = append(found, Finding{"ok", "key from " + endpoint.KeyFrom, ""})
	case known.KeyVariable != "":
		found = append(found, Finding{"fix", "no key for " + known.Title, "set " + known.KeyVariable + ", or run agent login " + known.Name})
	default:
		found = append(found, Finding{"note", "no key; fine for a server of your own", ""})
	}
	if models, err := c.Models(ctx); err != nil {
		found = append(found, Finding{"fix", "endpoint: " + err.Error(), ""})
	} else {
		found = append(found, checkModel(c, s, models))
	}
	return append(found, checkFamily(c, s)...)
}

// checkFamily says which family's hints and edit tool the model gets, and why: also of an
// endpoint that lists no models.
func checkFamily(c *provider.Connection, s *settings.Settings) []Finding {
	model := settings.Model.Of(s)
	if model == "" {
		return nil
	}
	family, why := c.Family(model)
	return []Finding{{"ok", fmt.Sprintf("family %s (%s), edits by %s", family.Name, why, app.FormOf(s, family)), ""}}
}

func checkModel(c *provider.Connection, s *settings.Settings, models []provider.Offer) Finding {
	model := settings.Model.Of(s)
	at := slices.IndexFunc(models, func(m provider.Offer) bool { return provider.SameModel(m.ID, model) })
	switch {
	case model == "" && len(models) == 1:
		model, at = models[0].ID, 0
	case model == "":
		return Finding{"fix", "no model is set; the endpoint offers " + someOf(models), "choose one: agent profile save NAME -m MODEL, or -m MODEL"}
	case at < 0:
		return Finding{"note", "model " + model + " is not among those the endpoint lists", "check its spelling with /model"}
	}
	with := s.Overlay()
	if err := with.Set(settings.Session, settings.Model.Key(), model); err != nil {
		return Finding{"fix", "model " + model + ": " + err.Error(), "change it with agent settings or in the profile"}
	}
	room := window.New(window.Config{Settings: with, Limit: c.ContextLimit})
	starts, err := compressionStart(room)
	if err != nil {
		return Finding{"fix", "model " + model + ": " + err.Error(), "change it with agent settings or in the profile"}
	}
	_, known := c.ContextLimit(model)
	_, set := settings.ContextLimit.Get(s)
	switch {
	case set:
		return Finding{"ok", fmt.Sprintf("model %s, context limit %d (set), %s", model, room.Size(), starts), ""}
	case at >= 0 && models[at].Assumed:
		return Finding{"note", fmt.Sprintf("model %s: its server may give it no more than %d tokens, %s", model, room.Size(), starts), "start it with OLLAMA_CONTEXT_LENGTH=32768, or set num_ctx for the model"}
	case known:
		return Finding{"ok", fmt.Sprintf("model %s, context limit %d, %s", model, room.Size(), starts), ""}
	}
	return Finding{"note", fmt.Sprintf("model %s: its context limit is not known, %d is assumed, %s", model, room.Size(), starts), "set context-limit"}
}

// someOf names the first models of an endpoint, and says how many more there are.
func someOf(models []provider.Offer) string {
	const shown = 3
	var names []string
	for _, m := range models[:min(shown, len(models))] {
		names = append(names, words.Line(m.ID, 60))
	}
	if more := len(models) - shown; more > 0 {
		names = append(names, fmt.Sprintf("and %d more; agent models lists them", more))
	}
	return cmp.Or(strings.Join(names, ", "), "none")
}

// compressionStart says at which size compression starts.
func compressionStart(room *window.Window) (string, error) {
	if _, err := room.Reserve(); err != nil {
		return "", err
	}
	strategy, err := room.Active()
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("compression starts at %d", room.Trigger(strategy)), nil
}

func checkTerminal(p *app.Process, in, out *os.File) Finding {
	if !term.IsTerminal(int(out.Fd())) || !term.IsTerminal(int(in.Fd())) {
		return Finding{"note", "no terminal; only -p will work here", ""}
	}
	width, height, err := term.GetSize(int(out.Fd()))
	if err != nil {
		return Finding{"fix", "terminal: its size cannot be read", "use another terminal"}
	}
	return terminalFinding(p.Env("TERM"), width, height)
}

// terminalFinding judges a terminal by its TERM and its size.
func terminalFinding(name string, width, height int) Finding {
	switch {
	case name == "":
		return Finding{"fix", "terminal: TERM is not set", "set TERM, for example to xterm-256color"}
	case name == "dumb":
		return Finding{"note", "terminal dumb: all is plain lines", "set TERM to what it is, such as xterm-256color, if it can do more"}
	case width < 60:
		return Finding{"note", fmt.Sprintf("terminal %s, %d×%d", name, width, height), "60 columns or more read better"}
	default:
		return Finding{"ok", fmt.Sprintf("terminal %s, %d×%d", name, width, height), ""}
	}
}

func checkProgram(name, use string) Finding {
	path, err := exec.LookPath(name)
	if err != nil {
		return Finding{"note", name + " is not on PATH", "install it " + use}
	}
	return Finding{"ok", name + " at " + path, ""}
}

// checkSandbox says how commands are confined.
func checkSandbox(s *settings.Settings) Finding {
	if settings.Sandbox.Of(s) == settings.SandboxOff {
		return Finding{"note", "no sandbox: the setting sandbox is off", "commands that do more than look are asked about"}
	}
	box := sandbox.Detect()
	if !box.Active() {
		return Finding{"note", "no sandbox: " + box.Why(), "commands that do more than look are asked about"}
	}
	return Finding{"ok", "sandbox " + box.Backend().String() + ": " + box.Why(), ""}
}

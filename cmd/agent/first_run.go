package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"agent/internal/app"
	"agent/internal/base/humanize"
	"agent/internal/command"
	"agent/internal/llm"
	"agent/internal/llm/vendor"
	"agent/internal/provider"
	"agent/internal/tui"
)

// firstMinute returns a connector that uses the endpoint of the settings, or the endpoint chosen earlier.
// If there is none, the user chooses from a list. It contains the servers on this machine, the API keys in
// the environment, an API key to paste, and the demo. Choosing the demo returns provider.ErrNoEndpoint. If
// no picker can be shown, the connector asks about a server in a line instead.
func firstMinute(w world, o sessionOptions) app.Connector {
	return func(ctx context.Context, c *provider.Connection) (string, func(), error) {
		notice, err := c.FindKnown(ctx)
		if !errors.Is(err, provider.ErrNoEndpoint) {
			return notice, nil, err
		}
		unset := err
		notice, err = chooseEndpoint(ctx, w, o, c)
		switch {
		case errors.Is(err, tui.ErrNoTerminal):
			notice, err = c.Find(ctx)
		case errors.Is(err, tui.ErrTerminated):
			err = statusError(exitInterrupted)
		case errors.Is(err, errDemo):
			err = unset
		}
		return notice, nil, err
	}
}

// errDemo is returned if the user selects the demo, errLeft if the user cancels.
var (
	errDemo = errors.New("the user chose the demo")
	errLeft = statusError(exitOK)
)

// These are the titles of the choices that are not options for an endpoint.
const (
	pasteKey = "key"
	playDemo = "demo"
)

// chooseEndpoint asks the user to choose an endpoint, until one can be used.
func chooseEndpoint(ctx context.Context, w world, o sessionOptions, c *provider.Connection) (notice string, err error) {
	if err := w.tell("agent is a coding agent: a model reads and edits this folder, and asks before each change."); err != nil {
		return "", err
	}
	for {
		ways := c.Options(ctx)
		chosen, ok, err := tui.Choose(ctx, tui.Options{In: w.stdin, Out: w.stdout, Environ: w.process.Environ, Plain: o.screenReader}, firstPick(ways))
		switch {
		case err != nil:
			return "", err
		case !ok:
			return "", errors.Join(w.tell("No model selected. To choose one, run: agent. To try it without a model, run: agent demo"), errLeft)
		case chosen.Line == playDemo:
			return "", errDemo
		case chosen.Line != pasteKey:
			n, _ := strconv.Atoi(chosen.Line)
			return c.UseOption(ways[n])
		}
		pasted, err := pasteKeyOf(ctx, w, o)
		if err != nil || pasted.Name == "" {
			if err == nil {
				continue
			}
			return "", err
		}
		return c.UseOption(provider.Option{Vendor: pasted})
	}
}

// firstPick lists the options for an endpoint, then the choice to paste an API key, and the demo.
func firstPick(ways []provider.Option) command.ChoiceList {
	pick := command.ChoiceList{Title: "Choose a model provider"}
	for n, way := range ways {
		choice := command.Choice{Line: strconv.Itoa(n)}
		if local := way.Local; local.Name != "" {
			choice.Name, choice.Help = local.Name+" on this machine", humanize.Count(len(local.Models), "model")+": "+local.Models[0]
		} else {
			choice.Name, choice.Help = way.Vendor.Title, "with the key in "+way.Vendor.KeyVariable
		}
		pick.Choices = append(pick.Choices, choice)
	}
	return command.ChoiceList{Title: pick.Title, Choices: append(pick.Choices,
		command.Choice{Name: "paste a key", Help: "hidden while you type; stored in your keyring", Line: pasteKey},
		command.Choice{Name: "the demo", Help: "try it without a key or a network", Line: playDemo},
	)}
}

// pasteKeyOf reads an API key and stores it. It asks for the vendor if the form of the key does not
// identify the vendor. It returns the zero Vendor if the user entered no key or chose no vendor.
func pasteKeyOf(ctx context.Context, w world, o sessionOptions) (vendor.Vendor, error) {
	key, err := readKey(ctx, w, "the provider")
	if err != nil || key == "" {
		return vendor.Vendor{}, err
	}
	of, told := ownerOf(key)
	if !told {
		pick := command.ChoiceList{Title: "Which provider is the API key for?"}
		for _, known := range vendor.All() {
			if known.KeyVariable != "" {
				pick.Choices = append(pick.Choices, command.Choice{Name: known.Title, Help: hostOf(known), Line: known.Name})
			}
		}
		chosen, ok, err := tui.Choose(ctx, tui.Options{In: w.stdin, Out: w.stdout, Environ: w.process.Environ, Plain: o.screenReader}, pick)
		if err != nil || !ok {
			return vendor.Vendor{}, err
		}
		of, _ = vendor.Named(chosen.Line)
	}
	f, err := w.process.Folders()
	if err != nil {
		return vendor.Vendor{}, err
	}
	place := provider.KeyHost(of.BaseURL)
	where, err := w.process.Keys(f).Set(place, key)
	if err != nil {
		if err := w.tell("The key was not stored: " + err.Error()); err != nil {
			return vendor.Vendor{}, err
		}
		return pasteKeyOf(ctx, w, o)
	}
	return of, w.tell(fmt.Sprintf("Stored the key for %s in %s. To delete it, run: agent logout %s", place, where, of.Name))
}

func hostOf(v vendor.Vendor) string {
	_, host, _ := strings.Cut(v.BaseURL, "://")
	host, _, _ = strings.Cut(host, "/")
	return host
}

// prefixes maps prefixes of API keys to the only vendor that uses them.
var prefixes = []struct{ begins, vendor string }{
	{"sk-ant-", "anthropic"},
	{"sk-or-", "openrouter"},
	{"sk-proj-", "openai"},
	{"sk-svcacct-", "openai"},
	{"AIza", "gemini"},
	{"gsk_", "groq"},
	{"xai-", "xai"},
}

// ownerOf returns the vendor of an API key, if the form of the key identifies the vendor.
func ownerOf(key llm.Key) (vendor.Vendor, bool) {
	i := slices.IndexFunc(prefixes, func(p struct{ begins, vendor string }) bool { return strings.HasPrefix(string(key), p.begins) })
	if i < 0 {
		return vendor.Vendor{}, false
	}
	return vendor.Named(prefixes[i].vendor)
}

// agrees reports whether an answer to a question is yes. For a question that ends in [Y/n], an
// empty answer is yes.
func agrees(question, answer string) bool {
	usual := "n"
	if strings.HasSuffix(question, yesByEnter) {
		usual = "y"
	}
	return slices.Contains([]string{"y", "yes"}, strings.ToLower(cmp.Or(answer, usual)))
}

// yesByEnter is the suffix of a question to which Enter means yes.
const yesByEnter = " [Y/n]"

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"agent/internal/cli"
	"agent/internal/console"
	"agent/internal/llm"
	"agent/internal/llm/vendor"
	"agent/internal/nearest"
	"agent/internal/provider"
	"agent/internal/websearch"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

func newLogin(w world) *cobra.Command {
	return keyCommand(w, keepKey, logIn, cobra.Command{
		Use:   "login [PROVIDER]",
		Short: "Keep the key of a provider, in the keyring or a file only you can read",
		Long: `login keeps an API key for a provider (openai if none is named), for the host of
--base-url, or for a service that searches the web. It is read without showing it,
or from standard input:

	pass show openrouter | agent login openrouter
	pass show brave | agent login search:brave

With --oauth you log in to your account in the browser instead. Without a provider
login lists, on a terminal, which logins there are and which keys are kept.`,
	})
}

func newLogout(w world) *cobra.Command {
	return keyCommand(w, logout, nil, cobra.Command{
		Use:   "logout [PROVIDER]",
		Short: "Forget the key of a provider that login keeps",
	})
}

// keyCommand returns a command about the key of a provider or of an address. run receives the
// store of keys, and the place that the key is for. account, which may be nil, logs in to an
// account instead.
func keyCommand(w world, run func(ctx context.Context, w world, keys provider.Keys, place string) error, account func(ctx context.Context, w world, keys provider.Keys, name string, paste bool) error, cmd cobra.Command) *cobra.Command {
	var baseURL string
	var oauth, paste bool
	cmd.Args = cli.CountedArgs(0, 1, "one provider, or none for openai")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		f, err := w.Folders()
		if err != nil {
			return err
		}
		name, keys := strings.Join(args, ""), w.Keys(f)
		if account != nil {
			switch refused := refusedAccount(name, oauth); {
			case refused != nil:
				return usage(refused)
			case oauth && baseURL != "":
				return usage(errors.New("--oauth logs in to an account of a vendor; leave out --base-url"))
			case oauth:
				return account(cmd.Context(), w, keys, name, paste)
			case name == "" && baseURL == "" && term.IsTerminal(int(w.stdin.Fd())):
				return printLines(w, loginLines(keys))
			}
		}
		place, err := keyPlace(name, baseURL)
		if err == nil && account != nil {
			err = keys.May(place)
		}
		if err != nil {
			return usage(err)
		}
		return run(cmd.Context(), w, keys, place)
	}
	if account != nil {
		cmd.Flags().BoolVar(&oauth, "oauth", false, "log in to your account in the browser, where the vendor offers that")
		cmd.Flags().BoolVar(&paste, "paste", false, "with --oauth: open the browser yourself, and paste the address where it ends up")
	}
	cmd.Flags().StringVar(&baseURL, "base-url", "", "the `URL` whose host the key is for, instead of a provider's")
	cmd.ValidArgsFunction = cobra.FixedCompletions(append(vendor.Names(), searchServices()...), cobra.ShellCompDirectiveNoFileComp)
	return &cmd
}

// searchPrefix begins the name of a service that searches the web, where it stands for its key.
const searchPrefix = "search:"

// searchServices returns the names of the services that take a key, each with the prefix.
func searchServices() (names []string) {
	for _, service := range websearch.Services() {
		if service.Home != "" {
			names = append(names, searchPrefix+service.Name)
		}
	}
	return names
}

// keyPlace returns the place that the key of a provider, or of an address, is for.
func keyPlace(name, baseURL string) (string, error) {
	if service, search := strings.CutPrefix(name, searchPrefix); search && baseURL == "" {
		known, found := websearch.Named(service)
		if !found || known.Home == "" {
			return "", fmt.Errorf("there is no search service %q that takes a key; there are %s", service, strings.Join(searchServices(), ", "))
		}
		return provider.Place(known.Home), nil
	}
	if baseURL == "" {
		known, found := vendor.Named(cmp.Or(name, "openai"))
		if names := vendor.Names(); !found {
			return "", fmt.Errorf("there is no provider %q; there are %s%s", name, strings.Join(names, ", "), nearest.Question(name, names))
		}
		if known.Cloud != nil {
			return "", fmt.Errorf("%s has an address for each account: agent login --base-url ADDRESS keeps a key for yours; without one, its own command prints a token (see auth-command)", known.Name)
		}
		return provider.Place(known.BaseURL), nil
	}
	if name != "" {
		return "", errors.New("name a provider or --base-url, not both")
	}
	base, err := provider.NormalizeBaseURL(baseURL)
	if err == nil {
		err = provider.CheckPlain(base)
	}
	return provider.Place(base), err
}

func keepKey(ctx context.Context, w world, keys provider.Keys, place string) error {
	key, err := readKey(ctx, w, place)
	if err != nil {
		return err
	}
	if key == "" {
		return usage(fmt.Errorf("no key for %s came in; type it at a terminal, or pipe it: see agent login --help", place))
	}
	where, err := keys.Set(place, key)
	if err != nil {
		return usage(err)
	}
	return w.print("The key for " + place + " is kept in " + where + ".")
}

func logout(_ context.Context, w world, keys provider.Keys, place string) error {
	found, err := keys.Delete(place)
	if err != nil {
		return err
	}
	if !found {
		return usage(errors.New("no key is kept for " + place))
	}
	return w.print("The key for " + place + " is forgotten.")
}

// readKey reads a key from the terminal without showing it, or from piped input.
func readKey(ctx context.Context, w world, place string) (llm.Key, error) {
	const longest = 64 << 10
	if !term.IsTerminal(int(w.stdin.Fd())) {
		data, err := io.ReadAll(io.LimitReader(w.stdin, longest))
		return llm.Key(strings.TrimSpace(string(data))), err
	}
	fmt.Fprintf(w.people, "Key for %s (it is not shown): ", place)
	state, err := term.GetState(int(w.stdin.Fd()))
	if err != nil {
		return "", err
	}
	key, err := console.Await(ctx, func() ([]byte, error) { return term.ReadPassword(int(w.stdin.Fd())) })
	if ctx.Err() != nil {
		return "", errors.Join(ctx.Err(), term.Restore(int(w.stdin.Fd()), state))
	}
	fmt.Fprintln(w.people)
	return llm.Key(strings.TrimSpace(string(key))), err
}

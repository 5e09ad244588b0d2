package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"agent/internal/cli"
	"agent/internal/llm"
	"agent/internal/llm/vendor"
	"agent/internal/nearest"
	"agent/internal/provider"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// loginOptions say whose key it is: a provider's, or that of an address.
type loginOptions struct {
	provider string
	baseURL  string
}

func newLogin(w world, run func(context.Context, world, loginOptions) error) *cobra.Command {
	return keyCommand(w, &cobra.Command{
		Use:   "login [PROVIDER]",
		Short: "Keep the key of a provider, in the keyring or a file only you can read",
		Long: `login keeps an API key for a provider (openai if none is named), or for the host
of --base-url. It is read without showing it, or from standard input:

	pass show openrouter | agent login openrouter`,
	}, run)
}

func newLogout(w world, run func(context.Context, world, loginOptions) error) *cobra.Command {
	return keyCommand(w, &cobra.Command{
		Use:   "logout [PROVIDER]",
		Short: "Forget the key of a provider that login keeps",
	}, run)
}

func keyCommand(w world, cmd *cobra.Command, run func(context.Context, world, loginOptions) error) *cobra.Command {
	var o loginOptions
	cmd.Args = cli.CountedArgs(0, 1, "one provider, or none for openai")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		o.provider = strings.Join(args, "")
		return run(cmd.Context(), w, o)
	}
	cmd.Flags().StringVar(&o.baseURL, "base-url", "", "the `URL` whose host the key is for, instead of a provider's")
	cmd.ValidArgsFunction = cobra.FixedCompletions(provider.Names(), cobra.ShellCompDirectiveNoFileComp)
	return cmd
}

// place is what the key is for.
func (o loginOptions) place() (string, error) {
	if o.baseURL != "" && o.provider != "" {
		return "", usage(errors.New("name a provider or --base-url, not both"))
	}
	if o.baseURL != "" {
		base, err := provider.NormalizeBaseURL(o.baseURL)
		if err != nil {
			return "", usage(err)
		}
		if err := provider.CheckPlain(base); err != nil {
			return "", usage(err)
		}
		return provider.Place(base), nil
	}
	known, found := vendor.Named(cmp.Or(o.provider, "openai"))
	if !found {
		names := provider.Names()
		return "", usage(fmt.Errorf("there is no provider %q; there are %s%s", o.provider, strings.Join(names, ", "), nearest.Question(o.provider, names)))
	}
	return provider.Place(known.BaseURL), nil
}

// keys are where keys are kept, with what the key is for.
func (o loginOptions) keys(w world) (keys provider.Keys, place string, err error) {
	if place, err = o.place(); err != nil {
		return keys, "", err
	}
	f, err := w.Folders()
	return provider.SystemKeys(f.Config, w.Env), place, err
}

func login(ctx context.Context, w world, o loginOptions) error {
	keys, place, err := o.keys(w)
	if err != nil {
		return err
	}
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

func logout(_ context.Context, w world, o loginOptions) error {
	keys, place, err := o.keys(w)
	if err != nil {
		return err
	}
	found, err := keys.Delete(place)
	if err != nil {
		return err
	}
	if !found {
		return usage(errors.New("no key is kept for " + place))
	}
	return w.print("The key for " + place + " is forgotten.")
}

// readKey reads a key without showing it, or from what is piped in.
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
	type typed struct {
		data []byte
		err  error
	}
	read := make(chan typed, 1)
	go func() {
		data, err := term.ReadPassword(int(w.stdin.Fd()))
		read <- typed{data, err}
	}()
	select {
	case <-ctx.Done():
		return "", errors.Join(ctx.Err(), term.Restore(int(w.stdin.Fd()), state))
	case in := <-read:
		fmt.Fprintln(w.people)
		return llm.Key(strings.TrimSpace(string(in.data))), in.err
	}
}

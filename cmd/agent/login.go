package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"agent/internal/base/safeout"
	"agent/internal/base/suggest"
	"agent/internal/frontend/cli"
	"agent/internal/llm"
	"agent/internal/llm/vendor"
	"agent/internal/login"
	"agent/internal/provider"
	"agent/internal/settings"
	"agent/internal/websearch"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// loginOptions holds the flags of agent login and agent logout.
type loginOptions struct {
	settingsOptions
	baseURL                       string
	oauth, paste, device, browser bool
	as, host, clientID            string
}

func newLogin(w world) *cobra.Command {
	var o loginOptions
	cmd := &cobra.Command{
		Use:   "login [PROVIDER]",
		Short: "Store a provider's API key, or log in to an account",
		Long: `Stores an API key for a provider (default openai), for the host of --base-url, or for a
web search service. It reads the key without showing it, or from standard input:

	pass show openrouter | agent login openrouter
	pass show brave | agent login search:brave

For a provider with accounts instead of keys, it logs you in with a browser or a code. For a
provider with both, add --oauth. In a terminal, agent login without a provider lists the
available logins and the stored keys.`,
		Args: cli.CountedArgs(0, 1, "at most one provider (default openai)"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.login(cmd.Context(), w, strings.Join(args, ""))
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.profile, "profile", "", "use login.client-id of the profile `NAME`")
	flags.StringVar(&o.clientID, "client-id", "", "the client `ID` that the vendor gave you (also: login.client-id)")
	repeatable(flags, &o.set, "set", "", "set `KEY=VALUE` for this run (repeatable)")
	completeFlag(cmd, "profile", completeProfiles(w))
	flags.StringVar(&o.baseURL, "base-url", "", "store the key for the host of `URL` instead of a provider")
	flags.BoolVar(&o.oauth, "oauth", false, "log in to your account instead of storing a key, if the vendor has both")
	flags.BoolVar(&o.paste, "paste", false, "open the login page yourself, and paste the address that the browser shows at the end")
	flags.BoolVar(&o.device, "device", false, "log in with a code on another device (default without a screen)")
	flags.BoolVar(&o.browser, "browser", false, "open the browser without asking")
	flags.StringVar(&o.host, "host", "", "the `HOST` of a GitHub Enterprise server")
	o.names(cmd)
	return cmd
}

func newLogout(w world) *cobra.Command {
	var o loginOptions
	cmd := &cobra.Command{
		Use:   "logout [PROVIDER]",
		Short: "Delete a stored API key or login",
		Args:  cli.CountedArgs(0, 1, "at most one provider (default openai)"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.logout(cmd.Context(), w, strings.Join(args, ""))
		},
	}
	cmd.Flags().StringVar(&o.baseURL, "base-url", "", "delete the key for the host of `URL` instead of a provider")
	cmd.Flags().BoolVar(&o.oauth, "oauth", false, "delete the login instead of the key, if the vendor has both")
	o.names(cmd)
	return cmd
}

// names registers the flag --as and completes the names of accounts, vendors and services, for login
// and logout.
func (o *loginOptions) names(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.as, "as", "", "the `NAME` of the login, if you have several to this vendor")
	names := vendor.Names()
	for _, a := range login.Accounts() {
		if !slices.Contains(names, a.Name) {
			names = append(names, a.Name)
		}
	}
	cmd.ValidArgsFunction = cobra.FixedCompletions(append(names, searchServices()...), cobra.ShellCompDirectiveNoFileComp)
}

func (o *loginOptions) login(ctx context.Context, w world, name string) error {
	if o.clientID != "" {
		o.set = append(o.set, settings.LoginClientID.Key()+"="+o.clientID)
	}
	f, s, err := w.configured(o.settingsOptions)
	if err != nil {
		return err
	}
	keys := w.process.Keys(f)
	account, known := login.AccountByName(name)
	of, takesKey := vendor.Named(name)
	wanted := o.oauth || known && (!takesKey || of.Account)
	switch {
	case wanted && o.baseURL != "":
		return usage(errors.New("can't combine --oauth with --base-url: --oauth logs in to a vendor's account. Omit --base-url"))
	case wanted && !known:
		return usage(noAccount(name))
	case wanted:
		return o.logIn(ctx, w, s, keys, account)
	case o.as != "" || o.host != "" || o.clientID != "" || o.device || o.paste || o.browser:
		return usage(errors.New("--as, --host, --client-id, --device, --paste and --browser are for account logins. Run: agent login NAME --oauth. To list the accounts, run: agent login"))
	case name == "" && o.baseURL == "" && (w.session != nil || term.IsTerminal(int(w.stdin.Fd()))):
		return w.print(loginLines(w, keys, settings.LoginClientID.Value(s))...)
	}
	place, err := keyPlace(name, o.baseURL)
	if err == nil {
		err = keys.CheckKeyHost(place)
	}
	if err != nil {
		return usage(err)
	}
	return keepKey(ctx, w, keys, place)
}

func (o *loginOptions) logout(ctx context.Context, w world, name string) error {
	f, err := w.process.Folders()
	if err != nil {
		return err
	}
	account, known := login.AccountByName(name)
	of, takesKey := vendor.Named(name)
	if known && !account.CreatesAPIKey() && o.baseURL == "" && (o.oauth || o.as != "" || !takesKey || of.Account) {
		return o.logOut(ctx, w, account)
	}
	place, err := keyPlace(name, o.baseURL)
	if err != nil {
		return usage(err)
	}
	return forgetKey(w, w.process.Keys(f), place)
}

// searchPrefix begins the name of a web search service among the names that login and logout accept.
const searchPrefix = "search:"

// searchServices returns the names of the services that need an API key, each with searchPrefix.
func searchServices() (names []string) {
	for _, service := range websearch.Services() {
		if service.Home != "" {
			names = append(names, searchPrefix+service.Name)
		}
	}
	return names
}

// keyPlace returns the endpoint that the API key of a provider, or of an address, belongs to.
func keyPlace(name, baseURL string) (string, error) {
	if service, search := strings.CutPrefix(name, searchPrefix); search && baseURL == "" {
		known, found := websearch.ServiceByName(service)
		if !found || known.Home == "" {
			return "", fmt.Errorf("unknown search service %q; services with a key: %s", service, strings.Join(searchServices(), ", "))
		}
		return provider.KeyHost(known.Home), nil
	}
	if baseURL == "" {
		known, found := vendor.Named(cmp.Or(name, "openai"))
		if names := vendor.Names(); !found {
			return "", fmt.Errorf("unknown provider %q; providers: %s%s", name, strings.Join(names, ", "), suggest.Question(name, names))
		}
		if known.Account {
			return "", fmt.Errorf("%s uses a login, not a key. Run: agent login %s", known.Title, known.Name)
		}
		if known.Cloud != nil {
			return "", fmt.Errorf("%s has a separate address for each account. Run: agent login --base-url ADDRESS. To get tokens from a command instead, set auth-command", known.Name)
		}
		return provider.KeyHost(known.BaseURL), nil
	}
	if name != "" {
		return "", errors.New("can't combine a provider with --base-url: choose one")
	}
	base, err := provider.NormalizeBaseURL(baseURL)
	if err == nil {
		err = provider.CheckPlainHTTP(base)
	}
	return provider.KeyHost(base), err
}

func keepKey(ctx context.Context, w world, keys provider.Keys, place string) error {
	if w.session != nil {
		return &keyWanted{keys, place}
	}
	key, err := readKey(ctx, w, place)
	if err != nil {
		return err
	}
	if key == "" {
		return usage(fmt.Errorf("can't store a key for %s: the input is empty. Type the key in a terminal or pipe it. Run: agent login --help", place))
	}
	where, err := keys.Set(place, key)
	if err != nil {
		return usage(err)
	}
	return w.print("The key for " + place + " is stored in " + where + ".")
}

func forgetKey(w world, keys provider.Keys, place string) error {
	found, err := keys.Delete(place)
	if err != nil {
		return err
	}
	if !found {
		return usage(errors.New("no stored key for " + place))
	}
	return w.print("Deleted the key for " + place + ".")
}

// readKey reads an API key from the terminal without echo, or from piped input. After Esc it returns "".
func readKey(ctx context.Context, w world, place string) (llm.Key, error) {
	const longest = 64 << 10
	if !term.IsTerminal(int(w.stdin.Fd())) {
		data, err := io.ReadAll(io.LimitReader(w.stdin, longest))
		return llm.Key(strings.TrimSpace(string(data))), err
	}
	before, err := term.MakeRaw(int(w.stdin.Fd()))
	if err != nil {
		return "", err
	}
	fmt.Fprintf(w.people, "API key for %s (hidden, Esc cancels): ", place)
	key, err := safeout.ReadContext(ctx, func() (string, error) { return typedKey(w.stdin) })
	err = errors.Join(ctx.Err(), err, term.Restore(int(w.stdin.Fd()), before))
	fmt.Fprintln(w.people)
	return llm.Key(strings.TrimSpace(key)), err
}

// typedKey reads the bytes of a raw terminal up to Enter. It returns "" after Esc, and context.Canceled
// after Ctrl+C.
func typedKey(in io.Reader) (string, error) {
	var text []byte
	for chunk := make([]byte, 4<<10); ; {
		n, err := in.Read(chunk)
		if n == 0 && err != nil {
			return "", err
		}
		for _, c := range chunk[:n] {
			switch c {
			case '\r', '\n':
				return string(text), nil
			case '\x1b', 'D' - '@':
				return "", nil
			case 'C' - '@':
				return "", context.Canceled
			case 'U' - '@':
				text = nil
			case '\b', '\x7f':
				text = text[:max(0, len(text)-1)]
			default:
				text = append(text, c)
			}
		}
	}
}

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"

	"agent/internal/base/humanize"
	"agent/internal/base/suggest"
	"agent/internal/base/table"
	"agent/internal/llm/vendor"
	"agent/internal/login"
	"agent/internal/provider"
	"agent/internal/settings"

	"golang.org/x/term"
)

func noAccount(name string) error {
	var names []string
	for _, a := range login.Accounts() {
		names = append(names, a.Name)
	}
	return fmt.Errorf("unknown login %q; logins: %s%s", name, strings.Join(names, ", "), suggest.Question(name, names))
}

// logIn guides a user through the login to an account. It stores the login, or the API key that the vendor
// creates, after the vendor has listed the models of the account.
func (o *loginOptions) logIn(ctx context.Context, w world, s *settings.Settings, keys provider.Keys, account login.Account) error {
	clientID := settings.LoginClientID.Value(s)
	err := cmp.Or(account.CheckLogin(clientID), login.CheckLoginName(o.as))
	if o.host != "" && err == nil {
		account, err = account.At(o.host)
	}
	if err != nil {
		return usage(err)
	}
	of, known := vendor.Named(account.Name)
	if !known {
		return usage(errors.New("no provider is " + account.Name))
	}
	place := provider.KeyHost(of.BaseURL)
	if err := keys.CheckKeyHost(place); err != nil {
		return usage(err)
	}
	if w.session != nil {
		return errNeedsTerminal
	}
	if account.Note != "" {
		if err := w.tell(account.Note); err != nil {
			return err
		}
	}
	ctx, watch, release := untilEsc(ctx, w.stdin)
	defer release()
	person := login.Prompter{Open: o.leads(w), Device: o.device || !o.paste && !o.browser && account.UsesDeviceCode() && !hasScreen(w), Now: w.process.Now, Show: func(_ context.Context, address, code string) error {
		if o.browser {
			openInBrowser(ctx, address)
		}
		err := w.tell("Open this address on any device, and type the code "+code+" there:", humanize.EscapeInvisible(address), "Waiting for your confirmation. Esc cancels the login.")
		watch()
		return err
	}}
	if account.CreatesAPIKey() {
		key, err := account.LoginForKey(ctx, http.DefaultTransport, person)
		if err == nil {
			err = provider.TryLogin(ctx, of, key, nil, "agent/"+w.process.Version)
		}
		if err != nil {
			return err
		}
		where, err := keys.Set(provider.KeyHost(of.BaseURL), key)
		if err != nil {
			return usage(err)
		}
		return o.loggedIn(w, of, account.Title, "the key of your account", where)
	}
	l, err := account.Login(ctx, http.DefaultTransport, clientID, person)
	release()
	if errors.Is(err, errLeftLogin) {
		return errors.Join(w.tell("Login canceled; nothing was stored."), statusError(exitInterrupted))
	}
	l.As, l.Host = o.as, o.host
	logins := w.process.AccountLogins()
	if err == nil {
		err = provider.TryLogin(ctx, of, "", logins.NewSource(l), "agent/"+w.process.Version)
	}
	if err == nil {
		l, err = logins.Save(ctx, l)
	}
	if err != nil {
		return err
	}
	title := account.Title
	if l.Name != "" {
		title += " as " + l.Name
	}
	return o.loggedIn(w, of, title, "the login", logins.Store.Where(l))
}

// untilEsc returns a context that ends when the user presses Esc or Ctrl+C at a terminal. It reads the
// terminal between the calls of watch and release, and ignores all other keys.
func untilEsc(ctx context.Context, in *os.File) (pressed context.Context, watch, release func()) {
	const esc, ctrlC = 0x1b, 0x03
	pressed, cancel := context.WithCancelCause(ctx)
	restore := func() {}
	watch = func() {
		state, err := term.MakeRaw(int(in.Fd()))
		if err != nil {
			return // no terminal
		}
		restore = sync.OnceFunc(func() { _ = term.Restore(int(in.Fd()), state) })
		go func() {
			for one := make([]byte, 1); ; {
				if n, err := in.Read(one); err != nil || n == 1 && (one[0] == esc || one[0] == ctrlC) {
					cancel(errLeftLogin)
					return
				}
			}
		}()
	}
	return pressed, watch, func() { restore() }
}

var errLeftLogin = errors.New("the user canceled the login")

// hasScreen reports whether this machine can open a browser.
func hasScreen(w world) bool {
	return w.process.Env("SSH_CONNECTION") == "" && (runtime.GOOS != "linux" || w.process.Env("DISPLAY") != "" || w.process.Env("WAYLAND_DISPLAY") != "")
}

// loggedIn prints that a login was stored, and the commands that use and delete it.
func (o *loginOptions) loggedIn(w world, of vendor.Vendor, title, what, where string) error {
	lines := []string{"You are logged in to " + title + "; " + what + " is stored in " + where + "."}
	if of.KeyVariable != "" && w.process.Env(of.KeyVariable) != "" {
		lines = append(lines, of.KeyVariable+" is set and has precedence. Unset it to use the login.")
	}
	uses, forgets := "agent --provider "+of.Name, "agent logout "+of.Name
	if account, _ := login.AccountByName(of.Name); !of.Account && !account.CreatesAPIKey() {
		forgets += " --oauth"
	}
	if o.as != "" {
		uses, forgets = uses+" --set login="+o.as, forgets+" --as "+o.as
	}
	return printLines(w, append(lines, "To use the login, run: "+uses, "To delete it, run: "+forgets))
}

// leads returns a function that sends a user to an address. It opens the browser with --browser, or after
// the user agrees. The user can paste the final address of the browser.
func (o *loginOptions) leads(w world) login.Opener {
	if o.browser {
		return opener(w, false)
	}
	if o.paste || !term.IsTerminal(int(w.stdin.Fd())) {
		return opener(w, true)
	}
	return func(ctx context.Context, address string) (string, error) {
		if err := w.tell("Open this address to log in:", humanize.EscapeInvisible(address), "Type y to open it in a browser here, or paste the address that another browser shows after the login:"); err != nil {
			return "", err
		}
		line, err := readLine(ctx, w.stdin)
		switch {
		case err != nil && !errors.Is(err, io.EOF):
			return "", err
		case strings.EqualFold(line, "y"), strings.EqualFold(line, "yes"):
			openInBrowser(ctx, address)
			return "", nil
		}
		return line, nil
	}
}

// logOut deletes a login, and revokes it at the vendor.
func (o *loginOptions) logOut(ctx context.Context, w world, account login.Account) error {
	id := login.ID(account.Name, o.as)
	found, unrevoked, err := w.process.AccountLogins().Logout(ctx, id)
	switch {
	case err != nil:
		return err
	case !found:
		return usage(errors.New("no login " + id + " is kept"))
	}
	lines := []string{"Deleted the login " + id + "."}
	if unrevoked != nil {
		lines = append(lines, "It may still be valid at "+account.Title+", which did not confirm the logout: "+unrevoked.Error())
	}
	return printLines(w, lines)
}

// loginLines lists the stored logins and API keys.
func loginLines(w world, keys provider.Keys, clientID string) []string {
	logins := w.process.AccountLogins()
	kept, unusable := logins.Store.All()
	var rows [][]string
	without := false
	for _, a := range login.Accounts() {
		state := "agent login " + a.Name
		if of, known := vendor.Named(a.Name); known && !of.Account {
			state += " --oauth"
		}
		switch {
		case a.Why != "":
			state = "no login: " + a.Why
		case a.CheckLogin(clientID) != nil:
			state, without = "needs a client ID", true
		}
		mine := 0
		for _, l := range kept {
			if l.Account == a.Name {
				rows, mine = append(rows, []string{l.Title(), describeLogin(l, logins.Store.Where(l), w.process.Now())}), mine+1
			}
		}
		if mine == 0 {
			rows = append(rows, []string{a.Name, state})
		}
	}
	lines := append([]string{"Accounts:"}, table.Lines("ll", rows)...)
	if without {
		lines = append(lines, "", "A client ID identifies agent to a vendor. Set it with --client-id or login.client-id. For alternatives, run: agent login NAME")
	}
	if unusable != nil {
		lines = append(lines, unusable.Error())
	}
	return append(append(lines, keyLines(keys)...), "", "To store a key, run: agent login NAME. Your input is hidden.")
}

// describeLogin returns when the token of a login expires, and where the login is stored.
func describeLogin(l login.Login, where string, now time.Time) string {
	state := "logged in"
	switch {
	case l.Expires.IsZero():
	case l.Refresh != "" || l.InKeyring:
		state += ", token expires " + l.Expires.In(now.Location()).Format("2006-01-02 15:04")
	case now.After(l.Expires):
		state = "ended " + l.Expires.In(now.Location()).Format("2006-01-02 15:04")
	}
	return state + ", stored in " + where
}

// keyLines lists the stored API keys.
func keyLines(keys provider.Keys) []string {
	var kept [][]string
	for _, name := range append(vendor.Names(), searchServices()...) {
		place, err := keyPlace(name, "")
		if err != nil {
			continue
		}
		if _, where := keys.Get(place); where != "" {
			kept = append(kept, []string{name, "key stored in " + where})
		}
	}
	if len(kept) == 0 {
		return nil
	}
	return append([]string{"", "Keys:"}, table.Lines("ll", kept)...)
}

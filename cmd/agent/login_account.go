package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"agent/internal/llm/vendor"
	"agent/internal/login"
	"agent/internal/nearest"
	"agent/internal/provider"
	"agent/internal/table"
)

// refusedAccount returns why there is no login to an account, nil if there is one, or if a key is
// wanted.
func refusedAccount(name string, oauth bool) error {
	account, known := login.AccountNamed(name)
	_, takesKey := vendor.Named(name)
	if known && account.Why != "" && (oauth || !takesKey) {
		return &login.RefusedError{Account: account}
	}
	return nil
}

// logIn leads a person to their account, and keeps the key that the vendor makes for it.
func logIn(ctx context.Context, w world, keys provider.Keys, name string, paste bool) error {
	account, known := login.AccountNamed(name)
	if !known {
		var names []string
		for _, a := range login.Accounts() {
			names = append(names, a.Name)
		}
		return usage(fmt.Errorf("there is no login named %q; there are %s%s", name, strings.Join(names, ", "), nearest.Question(name, names)))
	}
	of, known := vendor.Named(account.Name)
	if !known {
		return usage(errors.New("no provider is " + account.Name))
	}
	place := provider.Place(of.BaseURL)
	if err := keys.May(place); err != nil {
		return usage(err)
	}
	key, err := account.Login(ctx, http.DefaultTransport, opener(w, paste))
	if err != nil {
		return err
	}
	where, err := keys.Set(place, key)
	if err != nil {
		return usage(err)
	}
	lines := []string{"You are logged in to " + account.Title + "; the key of your account is kept in " + where + "."}
	if w.Env(of.KeyVariable) != "" {
		lines = append(lines, of.KeyVariable+" is set and goes first: unset it to use the login.")
	}
	return printLines(w, append(lines, "agent --provider "+of.Name+" uses it, agent logout "+of.Name+" forgets it."))
}

// loginLines lists the logins and the keys that are kept.
func loginLines(keys provider.Keys) []string {
	var rows [][]string
	for _, a := range login.Accounts() {
		state := "agent login " + a.Name + " --oauth"
		if a.Why != "" {
			state = "no login: " + a.Why + "; there is " + a.Instead
		}
		rows = append(rows, []string{a.Name, state})
	}
	var kept [][]string
	for _, name := range append(vendor.Names(), searchServices()...) {
		place, err := keyPlace(name, "")
		if err != nil {
			continue
		}
		if _, where := keys.Get(place); where != "" {
			kept = append(kept, []string{name, "key kept in " + where})
		}
	}
	lines := append([]string{"Accounts:"}, table.Lines("ll", rows)...)
	if len(kept) > 0 {
		lines = append(append(lines, "", "Keys:"), table.Lines("ll", kept)...)
	}
	return append(lines, "", "agent login NAME keeps a key; it is read without showing it.")
}

package login

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"agent/internal/base/fsutil"
	"agent/internal/base/keyring"
	"agent/internal/base/lazyregexp"
)

// A Login is a stored login of a user to an account.
type Login struct {
	Account string `json:"account"`
	// As distinguishes several logins to the same account. It is "" for the default login.
	As string `json:"as,omitempty"`
	// Host is the host of the vendor if it is not the default host.
	Host     string `json:"host,omitempty"`
	ClientID string `json:"clientID,omitempty"`
	// Name is the vendor's name for the account of the user. It is untrusted text.
	Name  string `json:"name,omitempty"`
	Scope string `json:"scope,omitempty"`
	// Access is the present token. Refresh is used to get the next one. It is "" if the token is not
	// refreshed.
	Access  string    `json:"access,omitempty"`
	Refresh string    `json:"refresh,omitempty"`
	Expires time.Time `json:"expires,omitzero"`
	// Renew is the time at which the token is refreshed. Zero means shortly before its expiry.
	Renew time.Time `json:"renew,omitzero"`
	// Base is the address for requests, or "" for the address in the table. Headers are sent with the
	// requests.
	Base    string            `json:"base,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	// InKeyring is set in the file if the keyring contains the remaining data.
	InKeyring bool `json:"inKeyring,omitempty"`
}

// ID returns the unique id of the login: chatgpt, or chatgpt:work.
func (l Login) ID() string { return ID(l.Account, l.As) }

// ID returns the id of a login: account, or account:as if the login has a name. The parameter as is the
// name, "" for none.
func ID(account, as string) string {
	if as == "" {
		return account
	}
	return account + ":" + as
}

// Title describes the login and the account for a user.
func (l Login) Title() string {
	if l.Name == "" {
		return l.ID()
	}
	return l.ID() + " (" + l.Name + ")"
}

// of returns the account of the login, at its host.
func (l Login) of() (Account, error) {
	a, known := AccountByName(l.Account)
	switch {
	case !known || a.Why != "" || a.keys != "":
		return a, fmt.Errorf("unsupported login to %q", l.Account)
	case l.Host != "":
		return a.At(l.Host)
	}
	return a, nil
}

// asName is the form of a name that distinguishes logins.
var asName = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._@+-]{0,62}$`)

// CheckLoginName returns an error if as is not a valid name for a login. "" is valid.
func CheckLoginName(as string) error {
	if as != "" && !asName.MatchString(as) {
		return errors.New("invalid login name. Use at most 63 letters, digits and . _ @ + -")
	}
	return nil
}

// A Store stores the logins of a user in the keyring of the system. If there is none, it uses a file
// that only its owner can read. The file also lists the logins in the keyring.
type Store struct {
	// Folder is the folder of the file.
	Folder string
	// Keyring reports whether the system has a keyring.
	Keyring bool
}

const (
	loginsFile                     = "logins.json"
	keyringService keyring.Service = "agent logins"
)

// File returns the path of the file.
func (s Store) File() string { return filepath.Join(s.Folder, loginsFile) }

// Where describes the place of a login for a user.
func (s Store) Where(l Login) string {
	if l.InKeyring {
		return "the system's keyring"
	}
	return s.File()
}

// All returns the logins sorted by name. Logins in the keyring have no tokens. The error is the reason
// why the file is not used.
func (s Store) All() ([]Login, error) {
	kept, err := s.read()
	var all []Login
	for _, id := range slices.Sorted(maps.Keys(kept)) {
		all = append(all, kept[id])
	}
	return all, err
}

// Get returns a login. found is false if there is none.
func (s Store) Get(id string) (l Login, found bool, err error) {
	kept, err := s.read()
	if err != nil {
		return Login{}, false, err
	}
	l, found = kept[id]
	if !found || !l.InKeyring {
		return l, found && l.Access != "", nil
	}
	if !s.Keyring {
		return l, false, fmt.Errorf("the login %s is in the system's keyring, which is unavailable. Log in again", id)
	}
	text, err := keyringService.Get(id)
	if err != nil {
		return l, false, fmt.Errorf("can't read the login %s from the keyring: %w. Unlock it, or log in again", id, err)
	}
	if json.Unmarshal([]byte(text), &l) != nil {
		return l, false, fmt.Errorf("the login %s in the keyring is damaged. Log in again", id)
	}
	l.InKeyring = true
	return l, l.Access != "", nil
}

// Set stores a login, replacing the previous one. It returns the part that is stored in the file. The
// caller holds the lock.
func (s Store) Set(l Login) (shown Login, err error) {
	shown = l
	shown.InKeyring = false
	if s.Keyring {
		if text, err := json.Marshal(shown); err == nil && keyringService.Set(l.ID(), string(text)) == nil {
			shown.Access, shown.Refresh, shown.InKeyring = "", "", true
		}
	}
	return shown, s.change(func(kept map[string]Login) { kept[l.ID()] = shown })
}

// Delete removes a login from the file, and from the keyring if there is one. The caller holds the
// lock.
func (s Store) Delete(l Login) error {
	var kept error
	if s.Keyring { // an earlier login may be there, too
		if err := keyringService.Delete(l.ID()); err != nil && l.InKeyring && !errors.Is(err, keyring.ErrNotFound) {
			kept = fmt.Errorf("can't delete the tokens of the removed login %s from the keyring: %w", l.ID(), err)
		}
	}
	return errors.Join(s.change(func(all map[string]Login) { delete(all, l.ID()) }), kept)
}

// lockWait is how long to wait for the lock while another process holds it. A process that holds it
// longer is assumed to hang.
const lockWait = 30 * time.Second

// WithLock runs act while no other process changes the logins.
func (s Store) WithLock(ctx context.Context, act func() error) error {
	limited, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	unlock, err := fsutil.Lock(limited, s.Folder, "logins.lock")
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err == nil:
		defer func() { _ = unlock() }()
	}
	// If the folder cannot be written, there is no lock, and the login is for this run only.
	return act()
}

// read returns the logins in the file by id. It returns an error for a file that others may read, or
// that is damaged.
func (s Store) read() (map[string]Login, error) {
	const most, othersMay = 4 << 20, 0o077
	info, err := os.Stat(s.File())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&othersMay != 0 {
		return nil, fmt.Errorf("can't use %s: other users can read it (mode %04o). Log in again to replace it", s.File(), info.Mode().Perm())
	}
	text, err := fsutil.ReadBeginning(s.File(), most)
	if err != nil {
		return nil, fmt.Errorf("can't use %s: %w", s.File(), fsutil.Reason(err))
	}
	kept := map[string]Login{}
	if json.Unmarshal(text, &kept) != nil {
		return nil, fmt.Errorf("can't use %s: it is damaged. Log in again to replace it", s.File())
	}
	for id, l := range kept {
		if id != l.ID() || strings.ContainsFunc(l.Name, func(r rune) bool { return r < ' ' }) {
			delete(kept, id)
		}
	}
	return kept, nil
}

// change rewrites the file. It keeps a damaged file under another name.
func (s Store) change(change func(map[string]Login)) error {
	if err := fsutil.WithLock(s.Folder, func() error {
		kept, unusable := s.read()
		if unusable != nil {
			_ = os.Rename(s.File(), s.File()+".old") // if this fails, the next save replaces the file
		}
		if kept == nil {
			kept = map[string]Login{}
		}
		change(kept)
		text, err := json.MarshalIndent(kept, "", "  ")
		if err != nil {
			return err
		}
		return fsutil.Target{Path: s.File(), Mode: 0o600, Locked: true}.Replace(append(text, '\n'))
	}); err != nil {
		return fmt.Errorf("can't store the login in %s: %w", s.File(), fsutil.Reason(err))
	}
	return nil
}

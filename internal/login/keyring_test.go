package login

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/zalando/go-keyring"
)

// TestKeyring checks that tokens are stored in the keyring and not in the file. If the keyring is
// locked later, it returns no token. A logout does not wait for it, and a new login works.
func TestKeyring(t *testing.T) {
	t.Parallel() // no other test of the package uses a keyring
	keyring.MockInit()
	vendor := &script{answers: map[string][]string{"/revoke": {"200 "}}}
	s := sourcesOf(t, vendor)
	s.Store.Keyring = true
	kept := Login{Account: "scripted", Access: "tok-1", Refresh: "ref-1"}
	l, err := s.Save(t.Context(), kept)
	if text, _ := os.ReadFile(s.Store.File()); err != nil || !l.InKeyring || strings.Contains(string(text), "-1") {
		t.Errorf("%+v, %v: %s", l, err, text)
	}
	if token, err := s.Source("scripted").Token(t.Context(), ""); err != nil || token.Key != "tok-1" {
		t.Error(token, err)
	}
	without := Store{Folder: s.Store.Folder}
	if _, found, err := without.Get("scripted"); found || err == nil || !strings.Contains(err.Error(), "which is unavailable") {
		t.Error(found, err)
	}

	keyring.MockInitWithError(errors.New("locked"))
	if _, found, err := s.Store.Get("scripted"); found || err == nil || !strings.Contains(err.Error(), "can't read the login scripted from the keyring: locked") {
		t.Error(found, err)
	}
	if found, _, err := s.Logout(t.Context(), "scripted"); !found || err == nil || !strings.Contains(err.Error(), "from the keyring: locked") {
		t.Error(found, err)
	}
	if all, err := s.Store.All(); len(all) > 0 || err != nil {
		t.Error(all, err)
	}
	if l, err = s.Save(t.Context(), kept); err != nil || l.InKeyring {
		t.Error(l, err)
	}
	if l, found, err := s.Store.Get("scripted"); !found || err != nil || l.Access != "tok-1" {
		t.Error(l, err)
	}
}

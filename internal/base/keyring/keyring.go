// Package keyring stores secrets in the keyring of the system. A keyring may be locked and prompt
// the user, may hang, and may disappear during a call. Every call therefore has a time limit. After
// a call exceeds it, further calls fail immediately until that call ends.
package keyring

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/zalando/go-keyring"
)

// A Service is the name under which a part of the program stores its secrets.
type Service string

// ErrNotFound is the error for a secret that does not exist.
var ErrNotFound = keyring.ErrNotFound

// Get returns the secret with a name.
func (s Service) Get(name string) (secret string, err error) {
	return system.call(func() (string, error) { return keyring.Get(string(s), name) })
}

// Set stores a secret and replaces an existing one with this name.
func (s Service) Set(name, secret string) error {
	_, err := system.call(func() (string, error) { return "", keyring.Set(string(s), name, secret) })
	return err
}

// Delete removes a secret.
func (s Service) Delete(name string) error {
	_, err := system.call(func() (string, error) { return "", keyring.Delete(string(s), name) })
	return err
}

// patience is the time limit of a call. The user may need the time to type the password of the
// keyring.
const patience = 30 * time.Second

var errSilent = fmt.Errorf("the keyring has not answered within %s", patience)

var system caller

// caller limits the duration of calls of one keyring.
type caller struct {
	// silent counts the calls that exceeded the time limit and have not ended yet.
	silent atomic.Int32
}

// call runs act, which may panic if the keyring disappears.
func (c *caller) call(act func() (string, error)) (string, error) {
	if c.silent.Load() > 0 {
		return "", errSilent
	}
	type result struct {
		secret string
		err    error
	}
	done, late := make(chan result), make(chan struct{})
	go func() {
		r := result{err: errors.New("the keyring service has stopped")}
		defer func() {
			_ = recover()
			select {
			case done <- r:
			case <-late:
				c.silent.Add(-1)
			}
		}()
		r.secret, r.err = act()
	}()
	select {
	case r := <-done:
		return r.secret, r.err
	case <-time.After(patience):
		c.silent.Add(1)
		close(late)
		return "", errSilent
	}
}

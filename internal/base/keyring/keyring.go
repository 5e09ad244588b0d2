// Package keyring keeps secrets in the keyring of the system. A keyring may be locked and ask the
// person, may hang, and may go away in the middle of a call, so no call takes longer than a limit,
// and once one has, the next fail at once until it is over.
package keyring

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/zalando/go-keyring"
)

// A Service is the name under which a part of the program keeps its secrets.
type Service string

// ErrNotFound is the error of a secret that is not there.
var ErrNotFound = keyring.ErrNotFound

// Get returns the secret with a name.
func (s Service) Get(name string) (secret string, err error) {
	return system.call(func() (string, error) { return keyring.Get(string(s), name) })
}

// Set keeps a secret in place of the one before it.
func (s Service) Set(name, secret string) error {
	_, err := system.call(func() (string, error) { return "", keyring.Set(string(s), name, secret) })
	return err
}

// Delete removes a secret.
func (s Service) Delete(name string) error {
	_, err := system.call(func() (string, error) { return "", keyring.Delete(string(s), name) })
	return err
}

// patience limits a call. A user may be typing the password of the keyring in the meantime.
const patience = 30 * time.Second

var errSilent = fmt.Errorf("the keyring has not answered within %s", patience)

// system is the keyring of the system.
var system caller

// caller bounds calls of one keyring.
type caller struct {
	// silent counts the calls that took too long and are not over yet.
	silent atomic.Int32
}

// call makes a call, which may panic if the keyring goes away.
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
		r := result{err: errors.New("the keyring went away")}
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

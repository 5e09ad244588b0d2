package keyring

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestCall simulates a keyring that answers, refuses, disconnects during a call, and hangs. After a
// hang, there is no new call until it answers.
func TestCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var c caller
		refuses := errors.New("locked")
		if secret, err := c.call(func() (string, error) { return "s", nil }); secret != "s" || err != nil {
			t.Error(secret, err)
		}
		if _, err := c.call(func() (string, error) { return "", refuses }); !errors.Is(err, refuses) {
			t.Error(err)
		}
		if _, err := c.call(func() (string, error) { panic("no connection") }); err == nil || err.Error() != "the keyring service has stopped" {
			t.Error(err)
		}
		wakes, began := make(chan struct{}), time.Now()
		hangs := func() (string, error) { <-wakes; return "late", nil }
		if _, err := c.call(hangs); !errors.Is(err, errSilent) || time.Since(began) != patience {
			t.Error(err, time.Since(began))
		}
		if _, err := c.call(func() (string, error) { t.Error("asked while it hangs"); return "", nil }); !errors.Is(err, errSilent) || time.Since(began) != patience {
			t.Error(err, time.Since(began))
		}
		close(wakes)
		synctest.Wait()
		if secret, err := c.call(func() (string, error) { return "s", nil }); secret != "s" || err != nil {
			t.Error(secret, err)
		}
	})
}

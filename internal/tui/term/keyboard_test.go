package term

import (
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/term"
)

// A typed key counts as pending until the event loop has read it.
func TestKeysArePendingUntilTheLoopHasThem(t *testing.T) {
	t.Parallel()
	master, tty, err := pty.Open()
	if err != nil {
		t.Skipf("no pseudo terminal: %v", err)
	}
	defer tty.Close()
	defer master.Close()
	if _, err := term.MakeRaw(int(tty.Fd())); err != nil {
		t.Fatal(err)
	}
	arrived, taken := make(chan struct{}), make(chan struct{})
	k := &Keyboard{File: tty, Send: func([]Event) { arrived <- struct{}{}; taken <- struct{}{} }, Gone: func() {}}
	if err := k.Start(); err != nil {
		t.Fatal(err)
	}
	defer k.Stop()
	if k.HasMore() {
		t.Error("keys are pending, and none was pressed")
	}
	if _, err := master.WriteString("x"); err != nil {
		t.Fatal(err)
	}
	<-arrived
	if !k.HasMore() {
		t.Error("a key on its way is not pending")
	}
	if _, err := master.WriteString("y"); err != nil {
		t.Fatal(err)
	}
	<-taken
	<-arrived
	<-taken
	for began := time.Now(); k.HasMore(); {
		if time.Since(began) > time.Minute {
			t.Fatal("keys are pending that the loop has")
		}
	}
}

package main

import (
	"os"
	"syscall"
	"testing"
)

// Ctrl+C ends the program unless an interface handles it at that time. Other signals always end it.
func TestCtrlCBelongsToItsHandler(t *testing.T) {
	t.Parallel()
	w := processWorld()
	if w.isHeard(os.Interrupt) {
		t.Error("nobody hears it")
	}
	release, again := w.hear(), w.hear()
	if !w.isHeard(os.Interrupt) || w.isHeard(syscall.SIGTERM) {
		t.Error("it is not heard, or another signal is")
	}
	release()
	if !w.isHeard(os.Interrupt) {
		t.Error("one of two stopped hearing it")
	}
	again()
	if w.isHeard(os.Interrupt) {
		t.Error("it is heard after all")
	}
	world{}.hear()()
}

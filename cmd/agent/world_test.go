package main

import (
	"os"
	"syscall"
	"testing"
)

// Ctrl+C ends the program unless a front end hears it, for as long as it does; other
// signals always do.
func TestCtrlCBelongsToWhoHearsIt(t *testing.T) {
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

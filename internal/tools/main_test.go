package tools

import (
	"testing"

	"agent/internal/testing/lsptest"

	"go.uber.org/goleak"
)

// The clock of the highlighter's regular expressions stops by itself after a while.
func TestMain(m *testing.M) {
	lsptest.Run()
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/dlclark/regexp2/v2.runClock"))
}

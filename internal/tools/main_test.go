package tools

import (
	"testing"

	"go.uber.org/goleak"
)

// The clock of the highlighter's regular expressions stops by itself after a while.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/dlclark/regexp2/v2.runClock"))
}

package chat

import (
	"flag"
	"testing"

	"go.uber.org/goleak"
)

// TestMain fails when a test leaves a goroutine behind: nothing of a turn outlives
// it. What is drawn at random here are whole conversations, each of many steps that are
// all checked: fewer of them do than of small inputs, and -rapid.checks asks for more.
func TestMain(m *testing.M) {
	_ = flag.Set("rapid.checks", "30")
	goleak.VerifyTestMain(m)
}

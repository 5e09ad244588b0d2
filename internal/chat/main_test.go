package chat

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain fails when a test leaves a goroutine behind: nothing of a turn outlives
// it.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

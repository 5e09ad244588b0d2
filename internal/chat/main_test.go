package chat

import (
	"flag"
	"testing"

	"go.uber.org/goleak"
)

// TestMain fails if a test leaves a goroutine behind, because every goroutine of a turn must end
// with it. Property tests here draw whole conversations and check each of many steps. So they need
// fewer draws than tests of small inputs. -rapid.checks sets a higher number.
func TestMain(m *testing.M) {
	_ = flag.Set("rapid.checks", "30")
	goleak.VerifyTestMain(m)
}

package slash_test

import (
	"testing"

	"go.uber.org/goleak"
)

// Nothing that completion starts in the background outlives its context.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

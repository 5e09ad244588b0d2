package slash_test

import (
	"testing"

	"go.uber.org/goleak"
)

// No goroutine of the completion outlives its context.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

package app_test

import (
	"flag"
	"os"
	"testing"

	"agent/internal/testing/mcptest"
)

// TestMain limits the number of repositories in a property test, because each is written and read
// many times.
func TestMain(m *testing.M) {
	mcptest.Main()
	_ = flag.Set("rapid.checks", "8") // -rapid.checks sets a higher number
	os.Exit(m.Run())
}

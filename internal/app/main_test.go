package app_test

import (
	"flag"
	"os"
	"testing"

	"agent/internal/testing/mcptest"
)

// TestMain lowers how many repositories a property tries: each is written and read many times.
func TestMain(m *testing.M) {
	mcptest.Main()
	_ = flag.Set("rapid.checks", "8") // -rapid.checks asks for more
	os.Exit(m.Run())
}

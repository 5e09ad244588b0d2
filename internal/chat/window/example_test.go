package window_test

import (
	"fmt"

	"agent/internal/chat/window"
	"agent/internal/settings"
)

// The limit of a request is the model's context window minus the reserve for the reply.
func ExampleLimits() {
	chosen := settings.New(settings.NewRegistry(settings.All(), nil))
	limits := window.NewLimits(chosen, func(model string) (int, bool) { return 32_000, true })
	fmt.Println(limits.Size(), window.ReserveOf(0, limits.Size()))
	// Output: 32000 8000
}

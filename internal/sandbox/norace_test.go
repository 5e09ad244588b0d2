//go:build !race

package sandbox_test

// raced says that the race detector runs.
const raced = false
